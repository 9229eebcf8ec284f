import { type Static, Type } from 'typebox';
import { define, type ErrorDefinition } from './error-definition.ts';
import { jobErrors } from './job-errors.ts';
import { unitErrors } from './unit-errors.ts';

/** What every failed request answers with (and nothing else but `code` and `diagnostics`). */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'What happened, for people' }),
    cause: Type.String({ description: 'Why; equals `error` when there is nothing more to say' }),
    remediation: Type.String({ minLength: 1, description: 'What to do next' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status' }),
    code: Type.String({ description: 'A stable word for programs' }),
    diagnostics: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'Positions of faults in a file (configuration, profiles)' }),
    ),
  },
  { additionalProperties: false, title: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;

/**
 * The one table of errors: code, status, sentence, remediation. Codes are stable; texts may improve. Those of jobs, and of what
 * leader and units say to each other, stand in files of their own.
 */
const definitions = {
  // Every route ------------------------------------------------------------------------------------------------------
  route_not_found: define<{ path: string }>(404, ({ path }) => ({
    error: 'There is nothing at this address.',
    cause: `No route matches ${path}.`,
    remediation: 'Check the path (a trailing slash makes another path). /api/docs lists all routes.',
  })),
  not_the_leader: define<{ path: string }>(404, ({ path }) => ({
    error: 'This node is not the leader.',
    cause: `${path} is served by the leader only.`,
    remediation: "Send the request to the leader, or use this node's /unit_api.",
  })),
  method_not_allowed: define<{ method: string; allow: string }>(405, ({ method, allow }) => ({
    error: 'Method not allowed.',
    cause: `${method} is not defined here.`,
    remediation: `Allowed: ${allow}.`,
  })),
  malformed_request: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The request could not be understood.',
    cause,
    remediation: 'Send a well-formed HTTP/1.1 request with a percent-encoded path.',
  })),
  invalid_body: define<{ cause: string; remediation: string }>(400, ({ cause, remediation }) => ({
    error: 'Invalid request body.',
    cause,
    remediation,
  })),
  invalid_query: define<{ name: string; cause: string; remediation: string }>(400, ({ name, cause, remediation }) => ({
    error: `The query parameter '${name}' is not valid.`,
    cause,
    remediation,
  })),
  body_too_large: define<{ limitBytes: number }>(413, ({ limitBytes }) => ({
    error: 'The request is too large.',
    cause: `The body is larger than ${limitBytes} bytes.`,
    remediation: 'Send less at once.',
  })),
  unsupported_media_type: define<{ contentType: string }>(415, ({ contentType }) => ({
    error: 'This route takes JSON.',
    cause: `Forms are not accepted here (${contentType}).`,
    remediation: 'Send the body as application/json.',
  })),
  foreign_host: define<{ host: string }>(403, ({ host }) => ({
    error: 'This host name is not served here.',
    cause: `The Host header is '${host}'.`,
    remediation: 'Use the address that the leader printed when it started.',
  })),
  foreign_origin: define<{ origin: string }>(403, ({ origin }) => ({
    error: 'Requests from other web pages are refused.',
    cause: `The Origin header is '${origin}'.`,
    remediation: 'Open the page from the leader itself, or call the API from a program.',
  })),
  deadline_passed: define(504, () => ({
    error: 'The request came too late.',
    cause: 'The deadline given in x-deadline-ms passed before the work began.',
    remediation: 'Check the current state, then send the request again if it is still wanted.',
  })),
  internal_error: define<{ requestId: string }>(500, ({ requestId }) => ({
    error: 'Internal error.',
    cause: `Something failed that should not have (request ${requestId}).`,
    remediation: `Look for ${requestId} in the log of this node; please report it.`,
  })),
  storage_full: define(507, () => ({
    error: 'The disk of this node is full.',
    cause: 'The change could not be stored; nothing was changed.',
    remediation: 'Free some space on its disk, then send the request again.',
  })),
  shutting_down: define(503, () => ({
    error: 'This node is stopping.',
    cause: 'It finishes what it has begun and takes nothing new.',
    remediation: 'Send the request again when it is up.',
  })),

  // Experiments ------------------------------------------------------------------------------------------------------
  experiment_not_found: define<{ experiment: string }>(404, ({ experiment }) => ({
    error: `Experiment ${experiment} does not exist.`,
    cause: 'No experiment has this name (names are case-sensitive).',
    remediation: 'List /api/experiments and pick one of them.',
  })),
  experiment_name_taken: define<{ experiment: string }>(409, ({ experiment }) => ({
    error: 'The experiment name is taken.',
    cause: `${experiment} exists already.`,
    remediation: 'Pick another name.',
  })),
  experiment_name_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The experiment name cannot be used.',
    cause,
    remediation: 'Use 1 to 199 characters, for example letters, digits, blanks, dots, dashes or underscores.',
  })),
  tags_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The tags cannot be used.',
    cause,
    remediation: 'Send at most 50 tags of at most 100 characters, without control characters.',
  })),
  nothing_to_change: define<{ fields: string }>(400, ({ fields }) => ({
    error: 'Nothing to change.',
    cause: 'The body has none of the fields that can be changed.',
    remediation: `Send at least one of: ${fields}.`,
  })),
  chart_keys_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The chart selection cannot be used.',
    cause,
    remediation: 'Send distinct chart keys of GET /api/charts/descriptors, or null.',
  })),

  // Units and workers ------------------------------------------------------------------------------------------------
  unit_name_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The unit name cannot be used.',
    cause,
    remediation: 'Use 1 to 63 letters, digits, dashes or underscores.',
  })),
  unit_unknown: define<{ unit: string }>(400, ({ unit }) => ({
    error: `Unknown unit: ${unit}`,
    cause: `${unit} is neither the leader nor in the inventory.`,
    remediation: 'List /api/units and pick one of them.',
  })),
  worker_unknown: define<{ unit: string }>(400, ({ unit }) => ({
    error: `Unknown worker: ${unit}`,
    cause: `${unit} is not in the inventory.`,
    remediation: 'List /api/workers and pick one of them.',
  })),
  worker_not_found: define<{ unit: string }>(404, ({ unit }) => ({
    error: `There is no worker ${unit}.`,
    cause: `${unit} is not in the inventory.`,
    remediation: 'List /api/workers and pick one of them.',
  })),
  worker_not_assigned: define<{ unit: string }>(404, ({ unit }) => ({
    error: `${unit} is not assigned to an experiment.`,
    cause: 'The worker is free.',
    remediation: 'Assign it with PUT /api/experiments/{experiment}/workers.',
  })),
  worker_not_in_experiment: define<{ unit: string; experiment: string }>(404, ({ unit, experiment }) => ({
    error: `${unit} is not assigned to ${experiment}.`,
    cause: 'There is no such assignment.',
    remediation: 'List /api/workers/assignments.',
  })),
  label_taken: define<{ label: string; unit: string }>(409, ({ label, unit }) => ({
    error: `The label '${label}' is taken.`,
    cause: `${unit} has it in this experiment.`,
    remediation: `Pick another label, or give ${unit} another one first.`,
  })),
  label_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The label cannot be used.',
    cause,
    remediation: 'Use at most 100 characters without control characters; send an empty label to remove one.',
  })),
  model_unknown: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'This model is not known.',
    cause,
    remediation: 'List /api/models and send model_name and model_version of one of them.',
  })),
  model_not_set: define<{ unit: string }>(404, ({ unit }) => ({
    error: `${unit} has no model yet.`,
    cause: 'Its model was never set.',
    remediation: 'Set it with PUT /api/workers/{reactor_unit}/model.',
  })),
  model_not_registered: define<{ unit: string; model: string }>(404, ({ unit, model }) => ({
    error: `The model of ${unit} is not registered any more.`,
    cause: `There is no model ${model}.`,
    remediation: 'Restore the model file, or set another model with PUT /api/workers/{reactor_unit}/model.',
  })),

  experiment_unknown: define<{ experiment: string }>(400, ({ experiment }) => ({
    error: `Unknown experiment: ${experiment}`,
    cause: 'No experiment has this name (names are case-sensitive).',
    remediation: 'List /api/experiments and pick one of them, or send $experiment for the cluster itself.',
  })),
  job_target_not_found: define<{ unit: string; experiment: string }>(404, ({ unit, experiment }) => ({
    error:
      unit === '$broadcast'
        ? `No active worker is assigned to ${experiment}.`
        : `${unit} was not found, is not active, or is not assigned to ${experiment}.`,
    cause: 'Jobs start on active workers of their experiment only.',
    remediation: 'Assign a worker to the experiment and make it active, then start the job.',
  })),
  job_name_invalid: define<{ name: string }>(400, ({ name }) => ({
    error: `'${name}' is no name of a job or a setting.`,
    cause: 'Such a name has letters, digits and underscores, beginning with a letter.',
    remediation: 'List the capabilities of the unit and pick one of its jobs and settings.',
  })),

  // Configuration ----------------------------------------------------------------------------------------------------
  config_invalid: define<{ error: string; cause: string; remediation: string }>(400, (text) => text),
  config_unreadable: define<{ path: string; cause: string }>(500, ({ path, cause }) => ({
    error: 'The configuration file cannot be read.',
    cause: `${path}: ${cause}.`,
    remediation:
      'Nothing was changed. Repair the file on the leader, or move it away and save the configuration again.',
  })),

  // Tasks ------------------------------------------------------------------------------------------------------------
  task_not_found: define<{ taskId: string }>(404, ({ taskId }) => ({
    error: 'There is no such task.',
    cause: `${taskId} was never issued by this node, or its result was kept for its 24 hours and is gone.`,
    remediation: 'Ask the node that answered 202, with the path it gave.',
  })),
  task_finished: define<{ taskId: string }>(409, ({ taskId }) => ({
    error: 'The task has ended already.',
    cause: `${taskId} is finished and cannot be cancelled.`,
    remediation: 'Read its result.',
  })),
  task_cancelled: define<{ taskId: string }>(409, ({ taskId }) => ({
    error: 'The task was cancelled.',
    cause: `Someone cancelled ${taskId} before it had ended; what it had done by then stays done.`,
    remediation: 'Check the current state, then start the task again if it is still wanted.',
  })),
  task_interrupted: define<{ taskId: string }>(503, ({ taskId }) => ({
    error: 'The task was interrupted.',
    cause: `${taskId} was cut by a restart of this node; what it had done by then stays done.`,
    remediation: 'Check the current state, then start the task again if it is still wanted.',
  })),
  task_crashed: define<{ taskId: string }>(500, ({ taskId }) => ({
    error: 'The task failed.',
    cause: `Something failed that should not have (task ${taskId}).`,
    remediation: `Look for ${taskId} in the log of this node; please report it.`,
  })),
  lock_busy: define<{ lock: string }>(409, ({ lock }) => ({
    error: 'Another operation of this kind is running.',
    cause: `The lock ${lock} is held.`,
    remediation: 'Wait for the running operation to finish, then retry.',
  })),

  // Time series ------------------------------------------------------------------------------------------------------
  data_source_unknown: define<{ dataSource: string; column: string; known: string }>(
    400,
    ({ dataSource, column, known }) => ({
      error: 'There is no such series of readings.',
      cause: `${dataSource}.${column} is no numeric column of a data source.`,
      remediation: `Use one of ${known}.`,
    }),
  ),
  ...jobErrors,
  ...unitErrors,
} as const;

export type ErrorCode = keyof typeof definitions;
type ParamsByCode = { [Code in ErrorCode]: Parameters<(typeof definitions)[Code]['text']>[0] };
/** What the sentences of an error need to know. */
export type ErrorParams<Code extends ErrorCode> = ParamsByCode[Code];

/** The table as the rest of the program sees it. */
export const errorTable: { readonly [Code in ErrorCode]: ErrorDefinition<ParamsByCode[Code]> } = definitions;

/** Codes that any route may answer with; they need no mention in a declaration. */
export const commonErrors = [
  'malformed_request',
  'foreign_host',
  'foreign_origin',
  'body_too_large',
  'deadline_passed',
  'internal_error',
  'storage_full',
  'shutting_down',
] as const satisfies readonly ErrorCode[];

/** An expected failure: a code of the table and what its sentences need. The border turns it into the error body. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly body: ErrorBody;

  constructor(code: Code, params: ErrorParams<Code>, diagnostics?: readonly unknown[]) {
    const definition = errorTable[code];
    const text = definition.text(params);
    super(text.error);
    this.name = 'ApiError';
    this.code = code;
    this.status = definition.status;
    this.body = {
      error: text.error,
      cause: text.cause ?? text.error,
      remediation: text.remediation,
      status: definition.status,
      code,
      ...(diagnostics ? { diagnostics: [...diagnostics] } : {}),
    };
  }
}

/** Whether something received is an error body. */
export function isErrorBody(value: unknown): value is ErrorBody {
  // Written by hand: a schema checker is a large part of a page, and pages have no other use for one.
  return (
    typeof value === 'object' &&
    value !== null &&
    ['error', 'cause', 'remediation', 'code'].every((key) => typeof Reflect.get(value, key) === 'string') &&
    Number.isInteger(Reflect.get(value, 'status')) &&
    (!('diagnostics' in value) || Array.isArray(value.diagnostics))
  );
}
