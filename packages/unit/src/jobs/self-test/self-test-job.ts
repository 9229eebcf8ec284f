import { ApiError, isObject, type Json } from '@lcs/contract';
import { type SelfTestName, selfTestJob, selfTestNames, selfTests } from '@lcs/domain';
import { GuardRefused } from '@lcs/hardware';
import type { Job, JobContext, JobDefinition } from '@lcs/node';
import { isHardwareFault } from '../shared/hardware-fault.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { type CheckResult, checks } from './checks.ts';
import { PhotodiodeMissing, SelfTestRig, TookTooLong } from './self-test-rig.ts';

const unitItself = '$experiment';
const outcomesKey = 'self_test.outcomes';

/** One row of the published list. */
interface Row {
  readonly name: SelfTestName;
  readonly title: string;
  readonly state: 'waiting' | 'running' | 'passed' | 'failed';
  readonly why: string;
}

/** Jobs that use the tested hardware and exclude the self-test. */
const inTheWay = [
  'od_reading',
  'od_blank',
  'od_calibration',
  'stirring',
  'stirring_calibration',
  'temperature_automation',
  'dosing_automation',
  'led_automation',
] as const;

/** The last outcome of each test. */
function lastOutcomes({ memory }: UnitDevices): Readonly<Record<string, Json>> {
  const kept = memory.read(unitItself, outcomesKey);
  return isObject(kept) ? kept : {};
}

/** @throws ApiError `job_options_invalid` when no test is selected */
function selectedTests(
  { options, jobName }: JobContext,
  outcomes: Readonly<Record<string, Json>>,
): readonly SelfTestName[] {
  const { k, retry_failed: retries } = options;
  const names = selfTestNames.filter(
    (name) =>
      (typeof k !== 'string' || name.toLowerCase().includes(k.toLowerCase())) &&
      (retries !== true || outcomes[name] !== 1),
  );
  if (names.length > 0) return names;
  const cause = retries === true ? 'No selected test has failed.' : `No test has ${String(k)} in its name.`;
  throw new ApiError('job_options_invalid', { job: jobName, cause });
}

/** The result of a check; a check that fails with a hardware fault has not passed. @throws errors that end the job */
async function outcomeOf(context: JobContext, rig: SelfTestRig, name: SelfTestName): Promise<CheckResult> {
  try {
    rig.nextTest();
    return await checks[name](rig);
  } catch (error) {
    context.signal.throwIfAborted();
    const isRefusal = error instanceof GuardRefused && !['stopped', 'no_lease'].includes(error.code);
    if (!(error instanceof Error) || !(isHardwareFault(error) || isRefusal || isExpectedFailure(error))) throw error;
    return { passed: false, why: error.message };
  }
}

const isExpectedFailure = (error: Error): boolean => error instanceof TookTooLong || error instanceof PhotodiodeMissing;

/** Runs the tests one after the other, with all outputs off between them, and publishes the results. */
async function run(context: JobContext, devices: UnitDevices, rig: SelfTestRig): Promise<void> {
  const outcomes = { ...lastOutcomes(devices) };
  const names = selectedTests(context, outcomes);
  const rows = new Map<SelfTestName, Row>(
    names.map((name) => [name, { name, title: selfTests[name], state: 'waiting', why: '' }]),
  );
  const report = (name: SelfTestName, state: Row['state'], why: string) => {
    rows.set(name, { name, title: selfTests[name], state, why });
    context.publish(
      'results',
      [...rows.values()].map((row) => ({ ...row })),
    );
  };
  await rig.begin();
  for (const name of names) {
    report(name, 'running', '');
    const { passed, why, pairs } = await outcomeOf(context, rig, name);
    await rig.allOff();
    report(name, passed ? 'passed' : 'failed', why);
    outcomes[name] = passed ? 1 : 0;
    devices.memory.write(unitItself, outcomesKey, { ...outcomes });
    context.publish(name, passed ? 1 : 0);
    if (pairs !== undefined)
      context.publish(
        'correlations_between_pds_and_leds',
        pairs.map((pair) => [...pair]),
      );
    context.event({ name: 'self_test', message: why, data: { test: name, title: selfTests[name], passed, why } });
    if (!passed) context.log('WARNING', `Self-test, ${selfTests[name]}: failed. ${why}`);
  }
  const failures = [...rows.values()].filter(({ state }) => state === 'failed');
  context.publish('all_tests_passed', failures.length === 0 ? 1 : 0);
  const titles = failures.map(({ title }) => title).join('; ');
  if (failures.length === 0) context.log('NOTICE', `Self-test: all ${names.length} tests have passed.`);
  else context.log('ERROR', `Self-test: ${failures.length} of ${names.length} tests have failed: ${titles}.`);
}

function start(context: JobContext, devices: UnitDevices): Job {
  selectedTests(context, lastOutcomes(devices));
  // Clears the results of an earlier run.
  for (const name of [...selfTestNames, 'correlations_between_pds_and_leds', 'all_tests_passed', 'results'])
    context.publish(name, null);
  const rig = new SelfTestRig(context, devices);
  return { done: run(context, devices, rig).finally(() => rig.end()), stop: () => rig.end() };
}

/** The job `self_test`: an action that is not resumed after a restart. */
export const selfTest = (devices: UnitDevices): JobDefinition => ({
  name: selfTestJob.name,
  excludes: inTheWay,
  ...(selfTestJob.help !== undefined && { help: selfTestJob.help }),
  settings: selfTestJob.settings,
  options: selfTestJob.options,
  isActuating: true,
  allowsSeveral: true,
  stopGroup: 'heat_and_pwm',
  experimentOf: () => unitItself,
  start: (context) => start(context, devices),
});
