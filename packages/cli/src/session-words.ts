import type { SessionEnvelope, SessionField, SessionStep } from '@lcs/contract';

/** A further button of a step: what it says, and what it sends. */
export interface StepAction {
  readonly label: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The further buttons of a step. */
export function actionsOf({ metadata }: Pick<SessionStep, 'metadata'>): readonly StepAction[] {
  const { actions } = metadata;
  if (!Array.isArray(actions)) return [];
  return actions.flatMap((one: unknown) =>
    isObject(one) && typeof one.label === 'string' && isObject(one.inputs)
      ? [{ label: one.label, inputs: one.inputs }]
      : [],
  );
}

/** What is being done, and how far it is; undefined: nothing. */
export function progressOf(envelope: SessionEnvelope): string | undefined {
  const progress = envelope.step?.metadata.progress;
  if (!isObject(progress) || typeof progress.message !== 'string' || typeof progress.fraction !== 'number')
    return undefined;
  return `${progress.message}: ${Math.round(100 * progress.fraction)} %`;
}

const shown = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value));

/** What is asked for a field: its name, its bounds, what it is when nothing is typed. */
export function questionOf({ label, default: usual, options, minimum, maximum, help_text }: SessionField): string {
  const bounds = [
    ...(options === null ? [] : [options.join(' or ')]),
    ...(minimum === null ? [] : [`at least ${minimum}`]),
    ...(maximum === null ? [] : [`at most ${maximum}`]),
  ];
  const help = help_text === null ? '' : ` ${help_text}`;
  const said = usual === null ? '' : ` [${typeof usual === 'boolean' ? (usual ? 'yes' : 'no') : shown(usual)}]`;
  return `${label}${bounds.length === 0 ? '' : ` (${bounds.join(', ')})`}.${help}${said}: `.replace(/\.\./, '.');
}

/** Cells of the table that a step shows. */
export function tableOf({ metadata }: Pick<SessionStep, 'metadata'>) {
  const inResult = isObject(metadata.result) ? metadata.result.table : undefined;
  const table = isObject(metadata.table) ? metadata.table : inResult;
  if (!isObject(table) || !Array.isArray(table.columns) || !Array.isArray(table.rows)) return undefined;
  const rows = table.rows.filter((row: unknown): row is unknown[] => Array.isArray(row));
  return { columns: table.columns.map(String), rows: rows.map((row) => row.map(String)) };
}

/** What a session ended with, one line each; what is large is told by other commands. */
export function resultLines(result: Readonly<Record<string, unknown>> | null): readonly string[] {
  return Object.entries(result ?? {})
    .filter(([name]) => name !== 'table' && name !== 'calibration')
    .map(
      ([name, value]) => `${name}: ${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)}`,
    );
}
