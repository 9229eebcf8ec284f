import { type BiomassScale, type Capability, sourceWithoutAccount } from '@lcs/contract';
import { biomassSignalSetting } from '@lcs/domain';

type LastUsedSettings = NonNullable<Capability['last_used']>;

/** The value that a field had when the job ran last. */
export interface LastValue {
  readonly value: number | string;
  readonly atMs: number;
  /** The experiment of that run; `null`: not recorded, or several. */
  readonly experiment: string | null;
  /** Of a target: the signal and the scale that it was a number of; `null`: not recorded. */
  readonly signal: string | null;
  readonly scale: BiomassScale | null;
}

/** Whether a person started the run that these are of, and no profile or program: only then somebody has entered the values for a start. */
export const isByPerson = ({ job_source }: LastUsedSettings): boolean => job_source === sourceWithoutAccount;

/** The last value of an option that a person started the job with, as its field shows it; `null`: none, or of another type. */
export function lastValueOf(
  name: string,
  kind: 'number' | 'text' | 'choice' | 'switch' | 'scale',
  lastUsed: LastUsedSettings | undefined,
): LastValue | null {
  const value = lastUsed?.settings[name];
  if (lastUsed === undefined || !isByPerson(lastUsed) || value === undefined || kind === 'scale') return null;
  const isNumber = typeof value === 'number';
  if (isNumber !== (kind === 'number') || (typeof value === 'boolean') !== (kind === 'switch')) return null;
  const signal = lastUsed.settings[biomassSignalSetting];
  return {
    value: typeof value === 'boolean' ? (value ? 'yes' : 'no') : value,
    atMs: Date.parse(lastUsed.ended_at),
    experiment: lastUsed.experiment ?? null,
    signal: typeof signal === 'string' ? signal : null,
    scale: lastUsed.biomass_scale ?? null,
  };
}

interface ProposedField {
  readonly isMain: boolean;
  /** Whose scale a density has; `chosen`: that of the signal which the start names. */
  readonly densityOf: 'chosen' | 'normalized_od' | null;
  readonly lastUsed: LastValue | null;
}

/**
 * The last value as far as the form may propose it: only where it is seen, and a target only with the signal that it was a number of. The
 * signal itself is chosen each time.
 */
export function proposedLast(
  { isMain, densityOf, lastUsed }: ProposedField,
  values: Readonly<Record<string, number | string>>,
): LastValue | null {
  if (lastUsed === null || !isMain) return null;
  if (densityOf !== 'chosen') return lastUsed;
  return lastUsed.signal !== null && values[biomassSignalSetting] === lastUsed.signal ? lastUsed : null;
}

/** A field without a last target that was a number of another scale: the unit may have another calibration since. */
export function onPresentScale<Field extends ProposedField>(
  field: Field,
  scaleOf: (signal: string) => BiomassScale | undefined,
): Field {
  const { densityOf, lastUsed } = field;
  if (densityOf !== 'chosen' || lastUsed?.signal == null) return field;
  return lastUsed.scale !== null && scaleOf(lastUsed.signal) === lastUsed.scale ? field : { ...field, lastUsed: null };
}

/** What all have in common; `undefined`: they differ. */
const commonOf = <Value>(values: readonly Value[]): Value | undefined =>
  values.every((value) => value === values[0]) ? values[0] : undefined;

/** The settings that all of several units used last; `undefined`: one has none. */
export function commonLastUsed(all: readonly (LastUsedSettings | undefined)[]): LastUsedSettings | undefined {
  const known = all.filter((each) => each !== undefined);
  const [first, ...others] = known;
  if (first === undefined || known.length < all.length) return undefined;
  const scale = commonOf(known.map(({ biomass_scale }) => biomass_scale));
  const experiment = commonOf(known.map((each) => each.experiment));
  const source = commonOf(known.map(({ job_source }) => job_source));
  const settings = Object.entries(first.settings).filter(([name, value]) =>
    others.every((other) => other.settings[name] === value),
  );
  const ended_at =
    known
      .map((each) => each.ended_at)
      .sort()
      .at(-1) ?? first.ended_at;
  return {
    settings: Object.fromEntries(settings),
    ...(scale !== undefined && { biomass_scale: scale }),
    ...(experiment !== undefined && { experiment }),
    ...(source !== undefined && { job_source: source }),
    ended_at,
  };
}

const newestOf = (capabilities: readonly Capability[] | undefined, job: string): Capability | undefined =>
  capabilities
    ?.filter(({ job_name, last_used }) => job_name === job && last_used !== undefined)
    .sort((left, right) => (right.last_used?.ended_at ?? '').localeCompare(left.last_used?.ended_at ?? ''))[0];

/** Whether the last run of a job was alike on all units: the same mode with the same values. */
export function ranAlike(units: readonly (readonly Capability[] | undefined)[], job: string): boolean {
  const last = units.map((unit) => newestOf(unit, job));
  const valuesOf = (of: Capability | undefined): string =>
    JSON.stringify(Object.entries(of?.last_used?.settings ?? {}).sort(([left], [right]) => left.localeCompare(right)));
  return (
    last.every((each) => each !== undefined) &&
    commonOf(last.map((each) => each?.automation_name)) !== undefined &&
    commonOf(last.map(valuesOf)) !== undefined
  );
}
