"""The MCP server: operations as tools, entities as resources, and prompts for common questions.

What an assistant asks first is answered before any index is opened: operations, pydantic's schemas
and the encoder load when a tool is listed or called.
"""
