import { pumpDevices } from '../calibrations/calibration-file.ts';
import type { JobDeclaration, JobOptions, JobSettings } from './job-declaration.ts';

const publishedText = { type: 'string', readOnly: true, nullable: true } as const;
const percentProgress = { percent_progress: { type: 'float', readOnly: true, nullable: true, unit: '%' } } as const;

/** The published state of a job's session, and the answer of a person. */
const ofSession: JobSettings = {
  ...percentProgress,
  session_id: publishedText,
  step_id: publishedText,
  /** The next action of the person. */
  instruction: publishedText,
  /** The fields of the step, as in the routes of sessions. */
  fields: { type: 'json', readOnly: true, nullable: true },
  /** Why the action after the last answer failed. */
  problem: publishedText,
  /** The answer to this step; see `answerInputs`. */
  answer: { type: 'json', nullable: true },
};

/** `session`: ID of an open session to continue. */
const goingOn: JobOptions = { session: { type: 'string' } };
/** Answers that may be given in advance: the job answers steps that need only these by itself. */
const naming: JobOptions = { calibration_name: { type: 'string' }, overwrite: { type: 'boolean' } };

/** Finds by itself which duty turns the stirrer how fast; `min_dc` and `max_dc` (%): both or none. */
export const stirringCalibrationJob: JobDeclaration = {
  name: 'stirring_calibration',
  help: 'Measures the speed of the stirrer at fifteen duty cycles, in about a minute, and stores the calibration. A vial with liquid and a stir bar must be in the unit: a culture in it is stirred at all these speeds, and stirring stays off afterwards.',
  settings: percentProgress,
  options: {
    min_dc: { type: 'float', min: 0, max: 100 },
    max_dc: { type: 'float', min: 0, max: 100 },
    calibration_name: { type: 'string' },
    /** Whether the calibration becomes active. Default: yes. */
    activate: { type: 'boolean' },
  },
  descriptor: null,
};

/** A guided session of a pump, as a job: a person weighs the water of each run. */
export const pumpCalibrationJob: JobDeclaration = {
  name: 'pump_calibration',
  help: 'Calibrates a pump, step by step: the job publishes what to do (instruction) and waits for the answer (answer). Stopping it ends the session.',
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
  help: 'Calibrates the optical density by standards, or measures a blank, step by step: the job publishes what to do (instruction) and waits for the answer (answer). Stopping it ends the session.',
  settings: ofSession,
  options: {
    device: { type: 'string', choices: ['od', 'od45', 'od90', 'od135', 'od_fused'] },
    /** Default: the first of the device. */
    protocol: { type: 'string', choices: ['standards', 'blank', 'od_fusion_standards', 'od_fusion_offset'] },
    ...goingOn,
    ...naming,
    estimator_name: { type: 'string' },
    rpm: { type: 'float', min: 0, max: 10_000 },
    /** Of a blank: the vial has no cells. */
    holds_medium_only: { type: 'boolean' },
    /** Of a blank: a good one is stored at once; a person decides about a doubtful one. */
    keep_when_good: { type: 'boolean' },
  },
  descriptor: null,
};

/** A guided session of the temperature's trim, as a job: a person reads a probe. */
export const temperatureCalibrationJob: JobDeclaration = {
  name: 'temperature_calibration',
  help: 'Compares the estimated temperature with a probe, step by step: the job publishes what to do (instruction) and waits for the answer (answer). Stopping it ends the session.',
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
