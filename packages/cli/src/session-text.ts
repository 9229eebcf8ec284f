import {
  isObject,
  type SessionEnvelope,
  type SessionField,
  type SessionResult,
  type SessionStep,
  type StepAction,
} from '@lcs/contract';

/** The further buttons of a step. */
export const actionsOf = ({ metadata }: Pick<SessionStep, 'metadata'>): readonly StepAction[] => metadata.actions ?? [];

/** Message and percentage of the running work; undefined: no work runs. */
export function progressOf(envelope: SessionEnvelope): string | undefined {
  const progress = envelope.step?.metadata.progress;
  return progress && `${progress.message}: ${Math.round(100 * progress.fraction)} %`;
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value));

/** The prompt for a field: label, bounds, default. */
export function promptOf({ label, default: initial, options, minimum, maximum, help_text }: SessionField): string {
  const bounds = [
    ...(options === null ? [] : [options.join(' or ')]),
    ...(minimum === null ? [] : [`at least ${minimum}`]),
    ...(maximum === null ? [] : [`at most ${maximum}`]),
  ];
  const help = help_text === null ? '' : ` ${help_text}`;
  const defaultText =
    initial === null ? '' : ` [${typeof initial === 'boolean' ? (initial ? 'yes' : 'no') : textOf(initial)}]`;
  return `${label}${bounds.length === 0 ? '' : ` (${bounds.join(', ')})`}.${help}${defaultText}: `.replace(/\.\./, '.');
}

/** Cells of the table of a step, or of its result. */
export function tableOf({ metadata }: Pick<SessionStep, 'metadata'>) {
  const table = metadata.table ?? metadata.result?.table;
  return table && { columns: table.columns, rows: table.rows.map((row) => row.map(String)) };
}

/** The result of a session, one line per value; other commands show the large ones. */
export function resultLines(result: SessionResult | null): readonly string[] {
  return Object.entries(result ?? {})
    .filter(([name]) => name !== 'table' && name !== 'calibration')
    .map(
      ([name, value]) => `${name}: ${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)}`,
    );
}
