import { pumpDevices } from '../calibrations/calibration-file.ts';
import type { JobDeclaration, JobOptions, JobSettings } from './job-declaration.ts';

const told = { type: 'string', readOnly: true, nullable: true } as const;
const percentProgress = { percent_progress: { type: 'float', readOnly: true, nullable: true, unit: '%' } } as const;

/** What a job shows of its session, and the one thing that a person says to it. */
const ofSession: JobSettings = {
  ...percentProgress,
  session_id: told,
  step_id: told,
  /** What the person is to do now. */
  instruction: told,
  /** What the step asks for: its fields, as the routes of sessions tell them. */
  fields: { type: 'json', readOnly: true, nullable: true },
  /** Why the work of the last answer failed. */
  problem: told,
  /** The answer to this step; see `answerInputs`. */
  answer: { type: 'json', nullable: true },
};

/** `session`: the id of an open one to go on with. */
const goingOn: JobOptions = { session: { type: 'string' } };
/** Answers that may be known beforehand: steps that ask for nothing else go on by themselves. */
const naming: JobOptions = { calibration_name: { type: 'string' }, overwrite: { type: 'boolean' } };

/** Finds by itself which duty turns the stirrer how fast; `min_dc` and `max_dc` (%): both or none. */
export const stirringCalibrationJob: JobDeclaration = {
  name: 'stirring_calibration',
  help: 'Tries the stirrer at fifteen duties and keeps which speed each gave, in about a minute. A vial with liquid and a stir bar must be in the unit.',
  settings: percentProgress,
  options: {
    min_dc: { type: 'float', min: 0, max: 100 },
    max_dc: { type: 'float', min: 0, max: 100 },
    calibration_name: { type: 'string' },
    /** Whether the calibration is the one in use from then on. Default: yes. */
    activate: { type: 'boolean' },
  },
  descriptor: null,
};

/** A guided session of a pump, as a job: a person weighs what each run gave. */
export const pumpCalibrationJob: JobDeclaration = {
  name: 'pump_calibration',
  help: 'Calibrates a pump, step by step: it says what to do (instruction) and waits for the answer (answer). Stopping it ends the session.',
  settings: ofSession,
  options: {
    device: { type: 'string', choices: [...pumpDevices] },
    ...goingOn,
    ...naming,
    mls_to_calibrate_for: { type: 'float', min: 0, multiple: true },
    hz: { type: 'float', min: 0.1, max: 10_000 },
    dc: { type: 'float', min: 0, max: 100 },
    prime_duration_s: { type: 'float', min: 5 },
  },
  descriptor: null,
};

/** A guided session of the optical density, as a job: a person places the standards. */
export const odCalibrationJob: JobDeclaration = {
  name: 'od_calibration',
  help: 'Calibrates the optical density by standards, step by step: it says what to do (instruction) and waits for the answer (answer). Stopping it ends the session.',
  settings: ofSession,
  options: {
    device: { type: 'string', choices: ['od', 'od45', 'od90', 'od135', 'od_fused'] },
    /** Default: the first of the device. */
    protocol: { type: 'string', choices: ['standards', 'od_fusion_standards', 'od_fusion_offset'] },
    ...goingOn,
    ...naming,
    estimator_name: { type: 'string' },
    rpm: { type: 'float', min: 0, max: 10_000 },
  },
  descriptor: null,
};

/** A guided session of the temperature's trim, as a job: a person reads a probe. */
export const temperatureCalibrationJob: JobDeclaration = {
  name: 'temperature_calibration',
  help: 'Compares the estimated temperature with a probe, step by step: it says what to do (instruction) and waits for the answer (answer). Stopping it ends the session.',
  settings: ofSession,
  options: { ...goingOn, ...naming },
  descriptor: null,
};

/** The jobs that calibrate. */
export const calibrationJobs: readonly JobDeclaration[] = [
  stirringCalibrationJob,
  pumpCalibrationJob,
  odCalibrationJob,
  temperatureCalibrationJob,
];
