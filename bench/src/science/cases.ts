import { growthCase } from './growth-case.ts';
import { growthJobsCase } from './growth-jobs-case.ts';
import type { ScienceCase } from './science-case.ts';
import { stirringCase } from './stirring.ts';
import { thermostatCase } from './thermostat.ts';

/** All cases, in the order of the report. */
export const scienceCases: readonly ScienceCase[] = [growthCase, growthJobsCase, stirringCase, thermostatCase];
