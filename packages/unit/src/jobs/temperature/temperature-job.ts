import { ApiError } from '@lcs/contract';
import {
  coolingPlan,
  everyReading,
  limitTarget,
  readSetting,
  temperatureAutomationJob,
  thermostatGains,
} from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/node';
import { asItIsNow, type Calibration, expectQuantity } from '../shared/calibration.ts';
import { HardwareFault } from '../shared/hardware-fault.ts';
import { HeldOutput } from '../shared/held-output.ts';
import { pwmOutput } from '../shared/job-config.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Heater } from './heater.ts';
import { LiquidInference } from './liquid-inference.ts';
import { TemperatureAutomation } from './temperature-automation.ts';
import type { TemperatureSetup } from './temperature-setup.ts';
import { Thermometer } from './thermometer.ts';

/** For an unknown model. */
const anyModel = { model_name: '', model_version: '' };

/** @throws ConfigValueError, ApiError `reactor_model_unknown` */
function setupOf(
  { jobName, config, options, model: named }: JobContext,
  { modelOf, pace }: UnitDevices,
  trim: Calibration | undefined,
): TemperatureSetup {
  const automationName = String(options.automation_name);
  const model = named && modelOf(named.name, named.version);
  const plan = everyReading(coolingPlan(model ?? anyModel), pace.coolingEvery);
  const { name, hash, comparisons = [] } = trim ?? {};
  const common = {
    automationName,
    plan,
    capacityMl: model?.reactor_capacity_ml,
    trim: name === undefined || hash === undefined ? undefined : { name, hash, comparisons },
  };
  if (automationName !== 'thermostat') return { ...common, thermostat: undefined };
  if (model === undefined) throw new ApiError('reactor_model_unknown', { job: jobName });
  const gains = {
    proportional: readSetting(config, thermostatGains.proportional),
    integral: readSetting(config, thermostatGains.integral),
    derivative: readSetting(config, thermostatGains.derivative),
  };
  const targetC = limitTarget(Number(options.target_temperature), model);
  return { ...common, thermostat: { gains, targetC, model } };
}

function publishTarget({ options, log, topics, publish }: JobContext, { thermostat }: TemperatureSetup): void {
  if (thermostat === undefined) return;
  const { targetC } = thermostat;
  publish('target_temperature', targetC);
  if (options.target_temperature !== targetC)
    log('WARNING', `The target is ${targetC} °C: this reactor allows no ${String(options.target_temperature)} °C.`);
  if (topics.states.latest('stirring')?.state !== 'ready')
    log('WARNING', 'Stirring is off: the liquid warms unevenly, and its temperature is less certain.');
}

async function start(context: JobContext, devices: UnitDevices): Promise<Job> {
  const calibrationOf = asItIsNow(devices.calibrationOf, ['temperature']);
  const trim = calibrationOf('temperature');
  expectQuantity(context.jobName, calibrationOf, 'temperature', 'Probe');
  const setup = setupOf(context, devices, trim);
  const isHeating = setup.thermostat !== undefined;
  const check = 'Check the heater board and its cable. The job continues when the board responds again.';
  const fault = new HardwareFault(context, 'The temperature cannot be measured, so nothing is heated.', check);
  const take = () =>
    HeldOutput.take(context, pwmOutput(context.config, 'heating'), (duty) => automation.overridden(duty));
  const output = isHeating ? await take() : undefined;
  // Separate faults: a responding sensor does not prove that the output works.
  const heater = new Heater(
    context,
    output,
    devices.memory,
    new HardwareFault(context, 'The heater cannot be driven.', check),
  );
  const thermometer = new Thermometer(context, devices.boardTemperature, setup.plan);
  const inference = new LiquidInference(context.clock, heater, devices.memory, setup);
  const automation = new TemperatureAutomation(context, setup, {
    heater,
    thermometer,
    inference,
    checkEveryMs: devices.pace.boardCheckMs,
    fault,
    estimates: devices.liquidEstimates,
    showFault: devices.showFault,
    showControl: devices.showControl,
    recordEvent: devices.recordEvent,
    presentModel: devices.ownModel,
  });
  publishTarget(context, setup);
  automation.begin();
  return {
    apply: async ({ target_temperature: targetC }) => {
      if (typeof targetC === 'number') await automation.setTarget(targetC);
    },
    sleep: () => automation.sleep(),
    wake: () => automation.wake(),
    stop: (reason) => automation.stop(reason),
  };
}

/** The job `temperature_automation`. */
export const temperatureAutomation = (devices: UnitDevices): JobDefinition => ({
  name: temperatureAutomationJob.name,
  settings: temperatureAutomationJob.settings,
  options: temperatureAutomationJob.options,
  variants: temperatureAutomationJob.variants ?? {},
  isActuating: true,
  stopGroup: 'heat_and_pwm',
  start: (context) => start(context, devices),
});
