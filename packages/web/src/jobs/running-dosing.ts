import type { BiomassSignals, LiveJob } from '@lcs/contract';
import {
  biomassSignalSetting,
  builtInJobs,
  dosingAutomationJob,
  dosingAutomations,
  jobsReadByDosing,
} from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';
import { digitsText } from '../ui/number-text.ts';
import { startWords } from '../words/start.ts';
import { signalLabel, unitOfTarget } from './biomass-choices.ts';

type Settings = Readonly<Record<string, unknown>>;

const threeDigits = (value: number): string => digitsText(value, 3);

/** The density that an automation holds; undefined: it holds none, or its target is not known. */
function targetOf({ automation_name: automation, ...settings }: Settings): number | undefined {
  const density = dosingAutomations.find(({ name }) => name === automation)?.density;
  const target = density && settings[density.setting];
  return typeof target === 'number' ? target : undefined;
}

/** The unit of that density; empty: it has none, or is not known. */
function unitOfDensity({ automation_name: automation, ...settings }: Settings): string {
  const density = dosingAutomations.find(({ name }) => name === automation)?.density;
  return (density && unitOfTarget(density.setting, settings)) ?? '';
}

/** A dosing automation with its target: `turbidostat, target 0.066`. */
export function dosingText(settings: Settings): string {
  const { automation_name: automation } = settings;
  const name = typeof automation === 'string' ? labelFromName(automation).toLowerCase() : startWords.noAutomationKnown;
  const target = targetOf(settings);
  if (target === undefined) return name;
  const text = [threeDigits(target), unitOfDensity(settings)].filter((part) => part !== '').join(' ');
  return startWords.nameAndTarget(name, text);
}

/** The jobs without which a running automation has no readings, with those without which these have none. */
function readBy({ settings }: LiveJob): readonly string[] {
  const read = jobsReadByDosing(settings.automation_name, settings);
  const before = read.flatMap((name) => {
    const job = builtInJobs.find((each) => each.name === name);
    return job?.withoutUsed === 'waits' ? (job.usesJobs ?? []) : [];
  });
  return [...read, ...before];
}

/** The jobs that are started or resumed on a unit. */
export interface StartsOnUnit {
  readonly unit: string;
  readonly jobs: readonly string[];
}

/** What a start of readings does to the dosing that is on and waits for them: the pumps may run with the first reading. */
export function waitingDosings(
  starts: readonly StartsOnUnit[],
  nameOf: (unit: string) => string,
  running: readonly LiveJob[],
): readonly string[] {
  const waiting = starts.flatMap(({ unit, jobs }) =>
    running
      .filter(
        (job) =>
          job.reactor_unit === unit &&
          job.job_name === dosingAutomationJob.name &&
          (job.state === 'init' || job.state === 'ready') &&
          readBy(job).some((name) => jobs.includes(name)),
      )
      .map(({ settings }) => ({ unit, text: dosingText(settings) })),
  );
  return [...Map.groupBy(waiting, ({ text }) => text)].map(([text, same]) => {
    const where = starts.length === 1 ? '' : `${same.map(({ unit }) => nameOf(unit)).join(', ')}: `;
    return startWords.dosingWaitsForReadings(where, text);
  });
}

/** Why a running dosing automation doses now, or does not; null: nothing is known of it. */
export function dosingNowText(job: LiveJob | undefined, signals: BiomassSignals | undefined): string | null {
  if (job?.job_name !== dosingAutomationJob.name) return null;
  const { settings, state } = job;
  const start = startWords.dosingWith(dosingText(settings));
  if (state === 'sleeping') return startWords.isPaused(start);
  const target = targetOf(settings);
  const automation = dosingAutomations.find(({ name }) => name === settings.automation_name);
  if (state !== 'ready' || target === undefined || automation?.density === undefined) return null;
  const { [biomassSignalSetting]: chosen } = settings;
  const signal = automation.density.signal === 'biomass' ? chosen : automation.density.signal;
  if (signals === undefined || typeof signal !== 'string') return null;
  const value = signals.signals.find((each) => each.signal === signal)?.value ?? null;
  if (value === null) return startWords.waitsForReading(start, signalLabel(signal));
  const from = automation.density.dilutionThreshold(target);
  const limit =
    from === target ? startWords.target(threeDigits(target)) : startWords.whereItBeginsToDose(threeDigits(from));
  const now = `${signalLabel(signal)} ${threeDigits(value)}`;
  return value < from ? startWords.isBelow(start, now, limit) : startWords.isNotBelow(start, now, limit);
}
