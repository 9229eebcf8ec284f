import type { Capability } from '@lcs/contract';
import { biomassScale, biomassSignalSetting } from '@lcs/domain';

type LastUsedSettings = NonNullable<Capability['last_used']>;

/** The value that a field had when the job ran last. */
export interface LastValue {
  readonly value: number | string;
  readonly atMs: number;
  /** Of a target: the scale that it was a number of. */
  readonly signal: string | null;
}

/** The last value of an option, as its field shows it; `null`: none, or of another type. */
export function lastValueOf(
  name: string,
  kind: 'number' | 'text' | 'choice' | 'switch' | 'scale',
  lastUsed: LastUsedSettings | undefined,
): LastValue | null {
  const value = lastUsed?.settings[name];
  if (lastUsed === undefined || value === undefined || kind === 'scale') return null;
  const isNumber = typeof value === 'number';
  if (isNumber !== (kind === 'number') || (typeof value === 'boolean') !== (kind === 'switch')) return null;
  const signal = lastUsed.settings[biomassSignalSetting];
  return {
    value: typeof value === 'boolean' ? (value ? 'yes' : 'no') : value,
    atMs: Date.parse(lastUsed.ended_at),
    signal: typeof signal === 'string' ? signal : null,
  };
}

interface ProposedField {
  readonly isMain: boolean;
  /** Whose scale a density has; `chosen`: that of the signal which the start names. */
  readonly densityOf: 'chosen' | 'normalized_od' | null;
  readonly lastUsed: LastValue | null;
}

/** Whether a number of a signal means the same with another calibration. */
const hasOneScale = (signal: string): boolean => biomassScale(signal, false) === biomassScale(signal, true);

/**
 * The last value as far as the form may propose it: only where it is seen, and a target only on the scale that it was a number of.
 * That of optical density depends on the calibration, which may be another one since. The scale itself is chosen each time.
 */
export function proposedLast(
  { isMain, densityOf, lastUsed }: ProposedField,
  values: Readonly<Record<string, number | string>>,
): LastValue | null {
  if (lastUsed === null || !isMain) return null;
  if (densityOf !== 'chosen') return lastUsed;
  const { signal } = lastUsed;
  return signal !== null && values[biomassSignalSetting] === signal && hasOneScale(signal) ? lastUsed : null;
}

/** The settings that all of several units used last; `undefined`: they differ, or one has none. */
export function commonLastUsed(all: readonly (LastUsedSettings | undefined)[]): LastUsedSettings | undefined {
  const [first, ...others] = all;
  if (first === undefined || others.some((each) => each === undefined)) return undefined;
  const settings = Object.entries(first.settings).filter(([name, value]) =>
    others.every((other) => other?.settings[name] === value),
  );
  const ended_at =
    all
      .map((each) => each?.ended_at ?? '')
      .sort()
      .at(-1) ?? first.ended_at;
  return settings.length === 0 ? undefined : { settings: Object.fromEntries(settings), ended_at };
}
