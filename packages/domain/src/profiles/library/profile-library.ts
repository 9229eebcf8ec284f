import { chemostatSeries } from './chemostat-series.ts';
import { fedBatch } from './fed-batch.ts';
import { growthCurve } from './growth-curve.ts';
import { lightCycle } from './light-cycle.ts';
import { mediumSwitch } from './medium-switch.ts';
import { morbidostat } from './morbidostat.ts';
import { replicateDesign } from './replicate-design.ts';
import { samplingReminder } from './sampling-reminder.ts';
import { temperatureRamp } from './temperature-ramp.ts';
import { turbidostatRamp } from './turbidostat-ramp.ts';

/** A starting point for people who write a profile: a documented text, to be copied and adapted. */
export interface LibraryProfile {
  readonly filename: string;
  /** In the text, too. */
  readonly experiment_profile_name: string;
  /** What the profile does, in one sentence. */
  readonly description: string;
  readonly text: string;
}

/** Our own texts have name and description on a line each: no parser is needed at run time. */
const lineOf = (text: string, key: RegExp): string => key.exec(text)?.[1] ?? '';

const libraryProfile = (filename: string, text: string): LibraryProfile => ({
  filename,
  experiment_profile_name: lineOf(text, /^experiment_profile_name: (.+)$/m),
  description: lineOf(text, /^ {2}description: (.+)$/m),
  text,
});

/** In the order in which lists show them. Modules and not files, so that they are part of the bundled program. */
export const profileLibrary: readonly LibraryProfile[] = [
  libraryProfile('growth-curve.yaml', growthCurve),
  libraryProfile('chemostat-series.yaml', chemostatSeries),
  libraryProfile('turbidostat-ramp.yaml', turbidostatRamp),
  libraryProfile('morbidostat.yaml', morbidostat),
  libraryProfile('temperature-ramp.yaml', temperatureRamp),
  libraryProfile('light-cycle.yaml', lightCycle),
  libraryProfile('fed-batch.yaml', fedBatch),
  libraryProfile('medium-switch.yaml', mediumSwitch),
  libraryProfile('replicate-design.yaml', replicateDesign),
  libraryProfile('sampling-reminder.yaml', samplingReminder),
];
