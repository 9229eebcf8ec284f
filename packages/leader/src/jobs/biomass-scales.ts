import {
  ApiError,
  BiomassSignals,
  JobSettings,
  type RunJob,
  type UnitOutcome,
  type UpdateRunningJob,
} from '@lcs/contract';
import { biomassSignalSetting, canonicalBiomassSignal, dosingAutomationJob, dosingAutomations } from '@lcs/domain';
import { valueIn } from '../fleet/outcome.ts';

/** Where a unit returns its biomass signals. */
export const biomassSignalsPath = '/unit_api/biomass_signals';

/** The biomass signal in a start; `null`: none, so that each unit uses its configuration. */
export type BiomassStart = { readonly signal: string | null };

/** A change of the target of running jobs: each unit keeps the signal with which its job runs, and which these settings name. */
export type BiomassChange = { readonly settingsPath: string };

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** The signal that each unit uses; undefined: it does not control any. */
type SignalOf = (unit: string) => string | null | undefined;

const targets: ReadonlySet<string> = new Set(dosingAutomations.flatMap(({ density }) => density?.setting ?? []));

const given = ({ options = {} }: RunJob, name: string): unknown => options[name] ?? options[name.replaceAll('_', '-')];

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Undefined: the start controls no biomass that can be measured on several scales. */
export function biomassStart(job: string, body: RunJob): BiomassStart | undefined {
  if (job !== dosingAutomationJob.name) return undefined;
  const automation = dosingAutomations.find(({ name }) => name === given(body, 'automation_name'));
  if (automation?.density?.signal !== 'biomass') return undefined;
  const section = `${job}.${automation.name}`;
  const overridden = body.config_overrides?.findLast(
    ([of, key]) => of === section && key === biomassSignalSetting,
  )?.[2];
  return { signal: textOf(given(body, biomassSignalSetting)) ?? overridden ?? null };
}

/** Undefined: the change sets no target of a density, or 0, which means the same on each scale. */
export function biomassChange(
  job: string,
  { settings }: UpdateRunningJob,
  settingsPath: string,
): BiomassChange | undefined {
  const isTarget = Object.entries(settings).some(([name, value]) => targets.has(name) && Number(value) !== 0);
  return job === dosingAutomationJob.name && isTarget ? { settingsPath } : undefined;
}

/** The signals with which the jobs of units run. A target without a signal is one of the normalised density. */
export function runningSignals(answers: Outcomes): SignalOf {
  return (unit) => {
    const running = valueIn(answers[unit], JobSettings);
    return running && (textOf(running.settings[biomassSignalSetting]) ?? 'normalized_od');
  };
}

/** The scale on which a unit would measure; the value itself for a setting of another job. */
function scaleOf({ configured, automatic, signals }: BiomassSignals, signal: string | null): string {
  const signalName = signal === null ? configured : canonicalBiomassSignal(signal);
  const scale = signalName === 'auto' ? automatic : signalName;
  return signals.find((each) => each.signal === scale)?.scale ?? scale;
}

/**
 * The scale of each unit that answered.
 * @throws ApiError biomass_scales_differ when a target would mean different densities on them
 */
export function expectOneScale(answers: Outcomes, signalOf: SignalOf): ReadonlySet<string> {
  const scales = new Map<string, string>();
  for (const [unit, answer] of Object.entries(answers)) {
    const signals = valueIn(answer, BiomassSignals);
    const signal = signalOf(unit);
    if (signals !== undefined && signal !== undefined) scales.set(unit, scaleOf(signals, signal));
  }
  if (new Set(scales.values()).size > 1) {
    const named = [...scales].map(([unit, scale]) => `${unit} ${scale}`).join(', ');
    throw new ApiError('biomass_scales_differ', { scales: named });
  }
  return new Set(scales.keys());
}
