import {
  hasShape,
  type SessionEnvelope,
  type SessionField,
  type SessionStep,
  type StepAction,
  StepTable,
} from '@lcs/contract';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The further buttons of a step. */
export const actionsOf = ({ metadata }: Pick<SessionStep, 'metadata'>): readonly StepAction[] => metadata.actions ?? [];

/** What is being done, and how far it is; undefined: nothing. */
export function progressOf(envelope: SessionEnvelope): string | undefined {
  const progress = envelope.step?.metadata.progress;
  return progress && `${progress.message}: ${Math.round(100 * progress.fraction)} %`;
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

/** Cells of the table of a step, or of its result. */
export function tableOf({ metadata }: Pick<SessionStep, 'metadata'>) {
  const found: unknown = metadata.table ?? metadata.result?.table;
  if (!hasShape(StepTable, found)) return undefined;
  return { columns: found.columns, rows: found.rows.map((row) => row.map(String)) };
}

/** What a session ended with, one line each; what is large is told by other commands. */
export function resultLines(result: Readonly<Record<string, unknown>> | null): readonly string[] {
  return Object.entries(result ?? {})
    .filter(([name]) => name !== 'table' && name !== 'calibration')
    .map(
      ([name, value]) => `${name}: ${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)}`,
    );
}
