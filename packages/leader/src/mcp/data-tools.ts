import {
  ApiError,
  ExportableDataset,
  ExportResult,
  entriesOf,
  hasShape,
  type Json,
  leaderApi,
  ownValue,
} from '@lcs/contract';
import { CallRefused, type LeaderCalls } from './leader-calls.ts';
import { type Arguments, type McpTool, routeTool } from './mcp-tool.ts';

/** Rows of the caller's SELECT. @throws ApiError dataset_unreadable, dataset_too_slow */
export type RunSqlQuery = (sql: string, signal: AbortSignal) => Promise<Json>;

const noArguments = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;

const oneText = (name: string, description: string) =>
  ({
    type: 'object',
    properties: { [name]: { type: 'string', minLength: 1, description } },
    required: [name],
    additionalProperties: false,
  }) as const;

const reading = { permission: 'exports.read', isActing: false, isDestructive: false } as const;

/** The result with the address at which the caller downloads the finished export. */
function file(result: Json): Json {
  if (!hasShape(ExportResult, result)) return result;
  const { filename, bytes } = result;
  return {
    ...result,
    artifact: {
      artifact_id: filename,
      filename,
      mime_type: 'application/zip',
      download_path: `/mcp/artifacts/exports/${encodeURIComponent(filename)}`,
      size_bytes: bytes,
    },
  };
}

/** Tools for stored data: exports, and queries where they are allowed. */
export const dataTools = (calls: LeaderCalls, query: RunSqlQuery): readonly McpTool[] => [
  routeTool(calls, {
    name: 'export_experiment_data',
    title: 'Export data of an experiment',
    route: leaderApi.exportDatasets,
    // It makes a file and may remove the oldest exports, also of other people, to free space.
    isActing: true,
    isDestructive: true,
    renamed: { dataset_names: 'datasets' },
    defaults: { partition_by_unit: false, partition_by_experiment: true },
    pick: file,
  }),
  ...tableTools(calls),
  queryTool(query),
];

/** Tools that describe the tables of a query. */
function tableTools(calls: LeaderCalls): readonly McpTool[] {
  const datasets = async (signal: AbortSignal): Promise<readonly ExportableDataset[]> => {
    const listed = await calls.call(leaderApi.listExportableDatasets, {}, signal);
    return entriesOf(ExportableDataset, listed) ?? [];
  };
  return [
    {
      ...reading,
      name: 'db_get_tables',
      title: 'Tables',
      description: 'Names of the tables of stored data, with what each holds',
      inputSchema: noArguments,
      isQuery: true,
      run: async (_: Arguments, signal) =>
        (await datasets(signal)).map(({ dataset_name, description }) => ({ table_name: dataset_name, description })),
    },
    {
      ...reading,
      name: 'db_get_table_schema',
      title: 'Columns of a table',
      description: 'Names, meanings and units of the columns of a table',
      inputSchema: oneText('table_name', 'As db_get_tables names it'),
      isQuery: true,
      run: async ({ table_name = '' }, signal) => {
        const name = String(table_name);
        const dataset = (await datasets(signal)).find(({ dataset_name }) => dataset_name === name);
        if (dataset === undefined) throw new CallRefused(new ApiError('dataset_not_found', { dataset: name }).body);
        return Object.entries(dataset.column_descriptions).map(([column, description]) => ({
          column,
          description,
          unit: ownValue(dataset.column_units, column) ?? null,
        }));
      },
    },
  ];
}

const queryTool = (query: RunSqlQuery): McpTool => ({
  ...reading,
  name: 'db_query_db',
  title: 'Query',
  description: 'Rows of a SELECT over the tables of stored data: 1,000 at most, within 5 s',
  inputSchema: oneText('query', 'One SELECT statement of SQLite'),
  isQuery: true,
  run: async ({ query: sql = '' }, signal) => {
    try {
      return await query(String(sql), signal);
    } catch (error) {
      if (error instanceof ApiError) throw new CallRefused(error.body);
      throw error;
    }
  },
});
