import { Type } from 'typebox';
import { routes } from '../route.ts';

const message = Type.Object({}, { title: 'JsonRpcMessage', description: 'A message of JSON-RPC 2.0' });

const post = {
  method: 'POST',
  summary: 'The Model Context Protocol: tools, resources and prompts for language models',
  description:
    'Streamable HTTP without sessions; one message per request, the answer is JSON. `Accept` must name application/json and text/event-stream. Tools that act are available when `[mcp] allow_acting_tools` is 1.',
  tag: 'MCP',
  permission: 'mcp.use',
  body: message,
  bodyFaults: 'json-rpc',
  responses: {
    200: { description: 'The answer to a request', schema: message },
    202: {
      description: 'A notification was accepted',
      schema: Type.String(),
      contentType: 'text/plain; charset=utf-8',
    },
    400: { description: 'Not a message of the protocol, or of an unsupported version', schema: message },
    406: { description: '`Accept` names too few types', schema: message },
    415: { description: 'The body is not declared as JSON', schema: message },
  },
  errors: [],
  cache: 'no-store',
} as const;

export const mcpRoutes = routes({
  callMcp: { ...post, path: '/mcp/', origin: 'specification' },
  callMcpWithoutSlash: { ...post, path: '/mcp', origin: 'extension' },
});
