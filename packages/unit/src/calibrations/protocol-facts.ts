import type { CalibrationContent, EstimatorContent, Model } from '@lcs/contract';
import {
  ConfigValueError,
  fusedDevice,
  type ProtocolFacts,
  type PumpDevice,
  settingOrDefault,
  stirringSettings,
} from '@lcs/domain';
import type { PwmWiring, Wiring } from '@lcs/hardware';
import type { JobRuntime } from '@lcs/node';
import type { IniView } from '@lcs/platform';
import { odConfig } from '../jobs/od-reading/od-config.ts';
import { pwmOutput } from '../jobs/shared/job-config.ts';
import type { CalibrationFiles } from './calibration-files.ts';
import type { CalibrationFolder } from './calibration-folder.ts';
import { isPluginPumpJob } from './liquid-jobs.ts';
import { longestRunS, pumpLabels } from './pump-limits.ts';

export interface ProtocolFactsSources {
  readonly unit: string;
  readonly now: () => number;
  readonly config: () => IniView;
  readonly wiring: () => Wiring;
  /** Of this unit; undefined while the leader has not named one. */
  readonly model: () => Model | undefined;
  readonly runtime: Pick<JobRuntime, 'running' | 'definition'>;
  /** The experiment that this unit is in. */
  readonly experiment: () => { readonly name: string } | undefined;
  readonly calibrations: Pick<CalibrationFiles<CalibrationContent>, 'active'>;
  readonly estimators: Pick<CalibrationFiles<EstimatorContent>, 'active'>;
  readonly calibrationFiles: Pick<CalibrationFolder<CalibrationContent>, 'names'>;
  readonly estimatorFiles: Pick<CalibrationFolder<EstimatorContent>, 'names' | 'ofDevice'>;
}

/** Reads the configuration; undefined when a value is invalid. */
function configured<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigValueError) return undefined;
    throw error;
  }
}

const defaultHertz: Readonly<Record<'pump' | 'stirrer', number>> = { pump: 250, stirrer: 200 };

/** Default PWM frequency of the pumps and of the stirrer of a board. */
export const hertzOf = (wiring: Wiring, use: 'pump' | 'stirrer'): number =>
  Object.values(wiring).find((one: PwmWiring | undefined) => one?.use === use)?.hertz ?? defaultHertz[use];

/** The facts that the protocols of a unit need. */
export async function protocolFacts(sources: ProtocolFactsSources): Promise<ProtocolFacts> {
  const { unit, now, wiring, runtime, calibrations, calibrationFiles, estimators, estimatorFiles } = sources;
  const [config, model] = [sources.config(), sources.model()];
  const od = configured(() => odConfig({ config, options: {} }));
  const known = await calibrationFiles.names();
  const knownEstimators = await estimatorFiles.names();
  const pumpChannel = (device: PumpDevice): string | undefined =>
    configured(() => pwmOutput(config, pumpLabels[device]).replace('pwm', ''));
  const runningJobs = runtime.running().map(({ origin }) => origin.jobName);
  return {
    unit,
    nowMs: now(),
    runningJobs,
    pluginPumpJobs: runningJobs.filter((job) => isPluginPumpJob(runtime.definition(job))),
    pumpChannel,
    pumpHz: hertzOf(wiring(), 'pump'),
    longestPumpRunS:
      model === undefined ? 0 : Math.floor(longestRunS(model, calibrations.active('media_pump')?.content)),
    photodiodes: od?.channels ?? [],
    irLedIntensity: od?.intensity ?? 'auto',
    initialRpm: settingOrDefault(config, stirringSettings.initialTargetRpm),
    initialDuty: settingOrDefault(config, stirringSettings.initialDuty),
    stirrerHz: hertzOf(wiring(), 'stirrer'),
    model: model?.model_name,
    calibrationExists: (device, name) => known.has(`${device}/${name}`),
    estimatorExists: (device, name) => knownEstimators.has(`${device}/${name}`),
    experiment: sources.experiment()?.name,
    activeForOd: [
      ...(od?.channels ?? []).flatMap(({ angle }) => calibrations.active(`od${angle}`)?.content.calibration_name ?? []),
      ...[estimators.active(fusedDevice)?.content.estimator_name ?? []].flat(),
    ],
    fusedEstimators: (await estimatorFiles.ofDevice(fusedDevice)) ?? [],
  };
}
