import { selfTestNames } from '../self-test/self-test.ts';
import type { JobDeclaration, JobSettingDeclaration } from './job-declaration.ts';

/** Outcomes stay published until the next test. */
const outcome: JobSettingDeclaration = { type: 'integer', readOnly: true, nullable: true, outlivesJob: true };
const published: JobSettingDeclaration = { type: 'json', readOnly: true, nullable: true, outlivesJob: true };

/** Tests the hardware of a unit. */
export const selfTestJob: JobDeclaration = {
  name: 'self_test',
  help: 'Tests photodiodes, LED, heater and stirrer of the unit with a clear vial in it. A culture in it is lit, heated and stirred, and no job of it runs meanwhile.',
  settings: {
    ...Object.fromEntries(selfTestNames.map((name) => [name, outcome])),
    correlations_between_pds_and_leds: published,
    all_tests_passed: outcome,
    results: published,
  },
  options: {
    /** Only tests with this in their name. */
    k: { type: 'string' },
    retry_failed: { type: 'boolean' },
  },
  descriptor: null,
};
