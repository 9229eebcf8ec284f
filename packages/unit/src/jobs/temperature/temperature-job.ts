import { coolingPlan, defaultThermostatGains, limitTarget, temperatureAutomationJob } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/platform';
import { asItIsNow, type Calibration } from '../shared/calibration.ts';
import { JobConfig, pwmOutput } from '../shared/job-config.ts';
import { HeldOutput } from '../shared/job-hands.ts';
import { Trouble } from '../shared/trouble.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Heater } from './heater.ts';
import { HeldDuty } from './held-duty.ts';
import { TemperatureAutomation } from './temperature-automation.ts';
import type { TemperatureSetup } from './temperature-setup.ts';
import { Thermometer } from './thermometer.ts';

/** The plan of a reactor whose model nobody has told yet. */
const anyModel = { model_name: '', model_version: '' };

/** @throws JobConfigError, Error when the limits of the reactor are unknown */
function setupOf(
  { config, options, model: named }: JobContext,
  { modelOf }: UnitDevices,
  trim: Calibration | undefined,
  held: HeldDuty,
): TemperatureSetup {
  const automationName = String(options.automation_name);
  const model = named && modelOf(named.name, named.version);
  const plan = coolingPlan(model ?? anyModel);
  const common = { automationName, plan, trim: trim && { name: trim.name, hash: trim.hash } };
  if (automationName !== 'thermostat') return { ...common, thermostat: undefined };
  if (model === undefined)
    throw new Error('The model of this unit is not known, so it must not heat. Choose its model.');
  const section = new JobConfig(config, 'temperature_automation.thermostat');
  const gains = {
    proportional: section.number('Kp', defaultThermostatGains.proportional),
    integral: section.number('Ki', defaultThermostatGains.integral),
    derivative: section.number('Kd', defaultThermostatGains.derivative),
  };
  const targetC = limitTarget(Number(options.target_temperature), model);
  return { ...common, thermostat: { gains, targetC, model, heldDuty: held.for(targetC) } };
}

function sayTarget({ options, log, topics, publish }: JobContext, { thermostat }: TemperatureSetup): void {
  if (thermostat === undefined) return;
  const { targetC } = thermostat;
  publish('target_temperature', targetC);
  if (options.target_temperature !== targetC)
    log('WARNING', `The target is ${targetC} ℃: this reactor does not bear ${String(options.target_temperature)} ℃.`);
  if (topics.states.latest('stirring')?.state !== 'ready')
    log('WARNING', 'Stirring is off: the liquid warms unevenly, and its temperature is told less well.');
}

async function start(context: JobContext, devices: UnitDevices): Promise<Job> {
  const calibrationOf = asItIsNow(devices.calibrationOf, ['temperature']);
  const trim = calibrationOf('temperature');
  if (trim !== undefined && trim.y !== 'Probe')
    throw new Error(`The calibration ${trim.name} of temperature is of ${trim.y}, and must be of Probe.`);
  const held = new HeldDuty(devices.memory);
  const setup = setupOf(context, devices, trim, held);
  const isHeating = setup.thermostat !== undefined;
  const check = 'Check the heater board and its cable. It goes on by itself when it answers again.';
  const trouble = new Trouble(context, 'The temperature cannot be measured, so nothing is heated.', check);
  const output = isHeating ? await HeldOutput.take(context, pwmOutput(context.config, 'heating')) : undefined;
  // Not the same: a temperature that is read says nothing about the output.
  const heater = new Heater(
    context,
    output,
    devices.memory,
    new Trouble(context, 'The heater cannot be driven.', check),
  );
  const thermometer = new Thermometer(context, devices.boardTemperature, setup.plan, trim);
  const automation = new TemperatureAutomation(context, setup, {
    ...{
      heater,
      thermometer,
      trouble,
      estimates: devices.liquidEstimates,
      showTrouble: devices.showTrouble,
      showControl: devices.showControl,
      tell: devices.tell,
      presentModel: devices.ownModel,
    },
    rememberHeld: (now) => held.remember(now),
  });
  sayTarget(context, setup);
  automation.begin();
  return {
    apply: ({ target_temperature: targetC }) => {
      if (typeof targetC === 'number') automation.aim(targetC);
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
