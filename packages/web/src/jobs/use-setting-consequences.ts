import type { LiveJob } from '@lcs/contract';
import { dosingAutomationJob, stirringJob, temperatureAutomationJob } from '@lcs/domain';
import { dosingConsequences, dosingTotal } from './dosing-consequence.ts';
import { jobOf } from './job-phase.ts';
import { temperatureConsequences } from './temperature-consequence.ts';
import { useBiomassChoices } from './use-biomass-choices.ts';
import { useTemperatures } from './use-temperatures.ts';
import { densityWarnings, stirringWarnings, temperatureWarnings } from './value-warnings.ts';

interface ChangedSetting {
  readonly job: string;
  readonly key: string;
  readonly experiment: string;
  /** The units on which the job runs; the same list until they change. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly jobs: readonly LiveJob[];
}

const nameIn = ({ automation_name: name }: LiveJob['settings']): string | null =>
  typeof name === 'string' ? name : null;

interface SettingMeaning {
  /** What a new value means on each unit, and in total; empty for jobs that move no liquid and do not heat. */
  readonly consequencesOf: (value: number | string) => readonly string[];
  /** What a person confirms before the value is sent. */
  readonly questionsOf: (value: number | string) => readonly string[];
}

/** What a new value of a running job means, before it is sent. */
export function useSettingConsequences({ job, key, experiment, units, nameOf, jobs }: ChangedSetting): SettingMeaning {
  const { reported } = useBiomassChoices(units, nameOf, job === dosingAutomationJob.name);
  const temperatures = useTemperatures(units, nameOf, job === temperatureAutomationJob.name);
  const settingsOf = (unit: string): LiveJob['settings'] => jobOf(jobs, unit, experiment, job)?.settings ?? {};
  const dosingsWith = (value: number | string) =>
    units.map((unit, at) => {
      const settings = settingsOf(unit);
      const values = { ...settings, [key]: value };
      return { automation: nameIn(settings), values, reported: reported.slice(at, at + 1) };
    });
  const questionsOf = (value: number | string): readonly string[] =>
    job === dosingAutomationJob.name
      ? dosingsWith(value).flatMap(
          ({ automation, values, reported: own }) => densityWarnings(automation, values, own)[key] ?? [],
        )
      : [];
  const consequencesOf = (value: number | string): readonly string[] => {
    if (job === dosingAutomationJob.name) {
      const each = dosingsWith(value);
      const texts = each.flatMap(({ automation, values, reported: own }) =>
        dosingConsequences(automation, values, own),
      );
      return [...texts, ...questionsOf(value), ...dosingTotal(each)];
    }
    if (job === stirringJob.name) return stirringWarnings({ [key]: value })[key] ?? [];
    if (job !== temperatureAutomationJob.name || key !== 'target_temperature') return [];
    const texts = units.flatMap((unit, at) =>
      temperatureConsequences(nameIn(settingsOf(unit)), value, temperatures.slice(at, at + 1)),
    );
    const { target_temperature: warnings = [] } = temperatureWarnings('thermostat', { target_temperature: value });
    return texts.length === 0 ? [] : [...texts, ...warnings];
  };
  return { consequencesOf, questionsOf };
}
