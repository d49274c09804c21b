//! MCP entries in the standard's form.
