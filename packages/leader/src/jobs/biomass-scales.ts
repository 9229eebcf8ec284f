import { ApiError, BiomassSignals, type RunJob, type UnitOutcome } from '@lcs/contract';
import { biomassSignalSetting, canonicalBiomassSignal, dosingAutomationJob, dosingAutomations } from '@lcs/domain';
import { valueIn } from '../fleet/outcome.ts';

/** Where a unit returns its biomass signals. */
export const biomassSignalsPath = '/unit_api/biomass_signals';

/** The biomass signal in a start; `null`: none, so that each unit uses its configuration. */
export type BiomassStart = { readonly signal: string | null };

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

/** The scale on which a unit would measure; the value itself for a setting of another job. */
function scaleOf({ configured, automatic, signals }: BiomassSignals, { signal }: BiomassStart): string {
  const signalName = signal === null ? configured : canonicalBiomassSignal(signal);
  const scale = signalName === 'auto' ? automatic : signalName;
  return signals.find((each) => each.signal === scale)?.scale ?? scale;
}

/**
 * The scale of each unit that answered.
 * @throws ApiError biomass_scales_differ when a target would mean different densities on them
 */
export function expectOneScale(
  answers: Readonly<Record<string, UnitOutcome>>,
  start: BiomassStart,
): ReadonlySet<string> {
  const scales = new Map<string, string>();
  for (const [unit, answer] of Object.entries(answers)) {
    const signals = valueIn(answer, BiomassSignals);
    if (signals !== undefined) scales.set(unit, scaleOf(signals, start));
  }
  if (new Set(scales.values()).size > 1) {
    const named = [...scales].map(([unit, scale]) => `${unit} ${scale}`).join(', ');
    throw new ApiError('biomass_scales_differ', { scales: named });
  }
  return new Set(scales.keys());
}
