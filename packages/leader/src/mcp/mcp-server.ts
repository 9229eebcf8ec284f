import type { ErrorBody, Json } from '@lcs/contract';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CallRefused } from './leader-calls.ts';
import { chosenBy, type McpResource } from './leader-resources.ts';
import { type McpPrompt, promptText } from './mcp-prompts.ts';
import type { Arguments, McpTool } from './mcp-tool.ts';

/** The tools, resources and prompts of a server. */
export interface McpOffer {
  readonly version: string;
  readonly tools: readonly McpTool[];
  readonly resources: readonly McpResource[];
  readonly prompts: readonly McpPrompt[];
}

const instructions =
  'A cluster of small bioreactors. Units measure and control cultures in experiments; the leader stores the measurements. ' +
  'Times are UTC. Volumes are in mL, growth rates per hour, temperatures in °C.';

/** Answers one message of a client, without state between messages. */
export async function answerMcp(offer: McpOffer, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createServer(offer);
  await server.connect(linkTo(transport));
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** The types of the library's transport and of its server differ slightly. */
const linkTo = (transport: WebStandardStreamableHTTPServerTransport): Transport => ({
  start: () => transport.start(),
  close: () => transport.close(),
  send: (message, { relatedRequestId } = {}) =>
    transport.send(message, relatedRequestId === undefined ? {} : { relatedRequestId }),
  set onmessage(listener: NonNullable<Transport['onmessage']>) {
    transport.onmessage = (message, extra) => listener(message, extra);
  },
  set onclose(listener: () => void) {
    transport.onclose = listener;
  },
  set onerror(listener: (error: Error) => void) {
    transport.onerror = listener;
  },
});

function createServer({ version, tools, resources, prompts }: McpOffer): Server {
  const server = new Server(
    { name: 'reactor_mcp', version, title: 'Leader Control Service' },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool '${params.name}'.`);
    return runTool(tool, argumentsOf(params.arguments), signal);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources
      .filter(({ address }) => !address.includes('{'))
      .map(({ address, name, description }) => ({ uri: address, name, description, mimeType: 'application/json' })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: resources
      .filter(({ address }) => address.includes('{'))
      .map(({ address, name, description }) => ({
        uriTemplate: address,
        name,
        description,
        mimeType: 'application/json',
      })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    for (const resource of resources) {
      const chosen = chosenBy(resource, uri);
      if (chosen === undefined) continue;
      const text = JSON.stringify(await asProtocolError(resource.read(chosen, signal)));
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    }
    throw new McpError(ErrorCode.InvalidParams, `There is no resource '${uri}'.`);
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: [...args],
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no prompt '${params.name}'.`);
    const missing = prompt.arguments.find(({ name, required }) => required && !params.arguments?.[name]);
    if (missing) throw new McpError(ErrorCode.InvalidParams, `The prompt needs '${missing.name}'.`);
    const text = promptText(prompt, params.arguments ?? {});
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  return server;
}

const listed = ({ name, title, description, inputSchema, isActing, isDestructive }: McpTool) => ({
  name,
  title,
  description,
  inputSchema: { ...inputSchema, required: [...inputSchema.required], properties: { ...inputSchema.properties } },
  annotations: { readOnlyHint: !isActing, destructiveHint: isDestructive, openWorldHint: false },
});

const argumentsOf = (value: unknown): Arguments => JSON.parse(JSON.stringify(value ?? {}));

/** The fault of the arguments of a call; undefined: none. */
function faultOf({ inputSchema }: McpTool, args: Arguments): string | undefined {
  const validator = Compile(Type.Unsafe(inputSchema));
  if (validator.Check(args)) return undefined;
  const [fault] = validator.Errors(args);
  return fault === undefined
    ? 'The arguments do not match the schema.'
    : `${fault.instancePath || 'arguments'}: ${fault.message}.`;
}

/** A failed tool returns the reason in its result, so that the model can read it. */
async function runTool(tool: McpTool, args: Arguments, signal: AbortSignal): Promise<CallToolResult> {
  const fault = faultOf(tool, args);
  if (fault !== undefined) {
    return failed({
      error: 'The arguments of the tool do not match its schema.',
      cause: fault,
      remediation: 'Read the input schema of the tool and call it again.',
      status: 400,
      code: 'invalid_body',
    });
  }
  try {
    const value = await tool.run(args, signal);
    const content = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { result: value };
    return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: { ...content } };
  } catch (error) {
    if (error instanceof CallRefused) return failed(error.body);
    throw error;
  }
}

const failed = (body: ErrorBody): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: { ...body },
});

async function asProtocolError(reading: Promise<Json>): Promise<Json> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CallRefused) throw new McpError(ErrorCode.InvalidParams, error.message, error.body);
    throw error;
  }
}
