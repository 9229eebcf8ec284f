import type { Fixture } from './fixture.ts';
import type { Shape } from './shape.ts';

/** Whether the page renders without it, a feature of it fails, or it has no visible effect. */
export type Level = 'required' | 'feature' | 'optional';

/**
 * A request of the other user interface. In path, body and shape `{name}` stands for a name of the scene, as `{E}`, the experiment.
 */
export interface UiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** The file of a form, by the name of its field; its bytes are a file of the scene. */
  readonly form?: { readonly field: string; readonly fileName: string; readonly file: string };
  readonly level: Level;
  /** What it looks at: fields of JSON, text, a file, the `result` of the task, or no more than the status. */
  readonly answer: 'json' | 'text' | 'file' | 'task' | 'status';
  readonly status: number;
  readonly reads?: Shape;
  /** Names for later requests, with the place of their value in the answer. */
  readonly learns?: Readonly<Record<string, string>>;
  /** What sets one row of the table apart from another of the same address. */
  readonly note?: string;
}

/** What the interface relies on beyond the fields of one answer. */
export interface UiRule {
  readonly rule: string;
  readonly level: Level;
  readonly shows: (scene: Fixture) => Promise<void>;
}

export interface UiPage {
  readonly title: string;
  /** Below `tests/routes/ui-contract`. */
  readonly testFile: string;
  readonly requests: readonly UiRequest[];
  readonly rules: readonly UiRule[];
}

const queryText = ({ query }: UiRequest): string => {
  if (query === undefined) return '';
  return `?${Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')}`;
};

/** Names the request in the tests and in the table. */
export const requestTitle = (request: UiRequest): string =>
  `${request.method} ${request.path}${queryText(request)}${request.note === undefined ? '' : ` (${request.note})`}`;

type More = Partial<UiRequest>;

/** JSON that is read. */
export const reads = (level: Level, path: string, shape: Shape, more: More = {}): UiRequest => ({
  method: 'GET',
  path,
  level,
  answer: 'json',
  status: 200,
  reads: shape,
  ...more,
});

/** A task that is followed, and whose result is read. */
export const follows = (level: Level, path: string, shape: Shape, more: More = {}): UiRequest => ({
  ...reads(level, path, shape),
  answer: 'task',
  status: 202,
  ...more,
});

/** A change of which only the status is looked at. */
export const changes = (method: UiRequest['method'], path: string, status: number, more: More = {}): UiRequest => ({
  method,
  path,
  level: 'feature',
  answer: 'status',
  status,
  ...more,
});
