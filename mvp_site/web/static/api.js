// The API's page: the viewer takes the place of the table.
"use strict";

const place = document.getElementById("viewer");
const dark = matchMedia("(prefers-color-scheme: dark)");
const shade = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", shade);
shade();

// Of the viewer's parts those that the page has not itself.
const layout = (system) => ({
  components: {
    Plain: ({ getComponent }) => {
      const part = (name, connected) => system.React.createElement(getComponent(name, connected));
      return system.React.createElement("div", { className: "swagger-ui" }, part("SvgAssets"),
        part("AuthorizeBtnContainer", true), part("FilterContainer", true), part("operations", true));
    },
  },
});

fetch(place.dataset.openapi).then((answer) => answer.json()).then((spec) => SwaggerUIBundle({
  spec, domNode: place, layout: "Plain", plugins: [layout], docExpansion: "list", filter: true,
  validatorUrl: null, syntaxHighlight: { activated: false },
  onComplete: () => {
    document.getElementById("plain").hidden = true;
  },
}));
