import type { Handler, Handlers, mcpRoutes } from '@lcs/contract';
import { mcpSettings, settingOrDefault } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import type { Exports } from '../exports/create-exports.ts';
import type { RunSqlQuery } from './data-tools.ts';
import { credentialsIn, type LeaderCallsOptions, leaderCalls } from './leader-calls.ts';
import type { McpTool } from './mcp-tool.ts';

export interface McpOptions extends Omit<LeaderCallsOptions, 'credentials'> {
  readonly version: string;
  /** The shared configuration. */
  readonly config: () => IniView;
  readonly query: Exports['query'];
}

/** Of a query. */
const mostRows = 1_000;
const queryLimitMs = 5_000;

type Routes = typeof mcpRoutes;

/** The endpoint of the Model Context Protocol. Its library is loaded at the first request. */
export function mcpHandlers(options: McpOptions): Handlers<Routes> {
  const query: RunSqlQuery = async (sql, signal) =>
    JSON.parse(JSON.stringify(await options.query(sql, { mostRows, limitMs: queryLimitMs, signal })));
  const load = async () => {
    const [{ answerMcp }, { leaderTools }, { leaderResources }, { leaderPrompts }] = await Promise.all([
      import('./mcp-server.ts'),
      import('./leader-tools.ts'),
      import('./leader-resources.ts'),
      import('./mcp-prompts.ts'),
    ]);
    return { answerMcp, leaderTools, leaderResources, leaderPrompts };
  };
  let loading: ReturnType<typeof load> | undefined;

  const answer: Handler<Routes['callMcp']> = async ({ body, headers, caller, signal }) => {
    loading ??= load();
    const { answerMcp, leaderTools, leaderResources, leaderPrompts } = await loading;
    const calls = leaderCalls({ ...options, credentials: credentialsIn(headers) });
    const config = options.config();
    const isAllowed = ({ isActing, isQuery = false, permission }: McpTool): boolean =>
      caller.permissions.has(permission) &&
      (!isActing || settingOrDefault(config, mcpSettings.allowActingTools)) &&
      // A query reads all experiments.
      (!isQuery || (caller.limits === undefined && settingOrDefault(config, mcpSettings.allowQueries)));
    const offer = {
      version: options.version,
      tools: leaderTools(calls, query).filter(isAllowed),
      resources: leaderResources(calls),
      prompts: leaderPrompts,
    };
    const request = new Request(`${options.ownUrl()}/mcp/`, {
      method: 'POST',
      headers: messageHeaders(headers),
      body: JSON.stringify(body),
      signal,
    });
    const response = await answerMcp(offer, request, body);
    const text = await response.text();
    switch (response.status) {
      case 202:
        return { status: 202, body: '' };
      case 400:
      case 406:
      case 415:
        return { status: response.status, body: JSON.parse(text) };
      default:
        return { status: 200, body: JSON.parse(text) };
    }
  };
  return { callMcp: answer, callMcpWithoutSlash: answer };
}

/** The headers that the protocol reads. */
const messageHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers => {
  const passed = new Headers({ 'content-type': 'application/json' });
  for (const name of ['accept', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id']) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  return passed;
};
