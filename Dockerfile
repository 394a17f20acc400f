# An image that only serves: a plain install, without torch. What is built (the index,
# the rulebook, the entities) is made elsewhere and mounted read-only; campaigns are kept in /data.
#
#   docker build -t mvp-site .
#   docker run --read-only --tmpfs /tmp -p 8000:8000 -e MVP_SITE_DM_TOKEN=... \
#       -v "$PWD/data:/index:ro" -v "$PWD/prompt_archive:/prompt_archive:ro" -v campaigns:/data mvp-site

FROM python:3.12-slim AS install
WORKDIR /src
COPY setup.cfg setup.py pyproject.toml MANIFEST.in README.md LICENSE constraints.txt ./
COPY mvp_site mvp_site
# its newest version goes into the package
COPY prompt_archive prompt_archive
RUN python -m venv /venv
# scripts/container runs this line where there is no container tool.
RUN /venv/bin/python -m pip install --no-cache-dir . -c constraints.txt

FROM python:3.12-slim
COPY --from=install /venv /venv
# A number, so that a cluster can see that it is not root.
RUN install -d -o 10001 /data /index
USER 10001
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 \
    PROMPT_ARCHIVE_DIR=/prompt_archive PROMPT_INDEX_DIR=/index/prompt_index \
    MVP_SITE_DATA_DIR=/index MVP_SITE_DATABASE_URL=sqlite:////data/campaigns.sqlite3
VOLUME /data
EXPOSE 8000
# Ready: the index is served. /livez only says that the process answers.
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz')"]
# Without MVP_SITE_DM_TOKEN it does not start: it would show everybody everything.
CMD ["mvp-site", "serve", "--host", "0.0.0.0"]
