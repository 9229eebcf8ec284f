import type { AutomationDescriptor } from '@lcs/contract';
import { type AutomationDeclaration, type AutomationType, automationDescriptor } from './automation.ts';
import { chemostat } from './chemostat.ts';
import type { DosingAutomation } from './dosing-automation.ts';
import { dosingSilent } from './dosing-silent.ts';
import { fedBatch } from './fed-batch.ts';
import type { LedAutomation } from './led-automation.ts';
import { ledSilent } from './led-silent.ts';
import { lightDarkCycle } from './light-dark-cycle.ts';
import { pidMorbidostat } from './pid-morbidostat.ts';
import { onlyRecordTemperature, thermostatAutomation } from './temperature-automations.ts';
import { turbidostat } from './turbidostat.ts';

/** The dosing automations of this release, in the order of the screen. A new one is a file beside these and a line here. */
export const dosingAutomations: readonly DosingAutomation[] = [
  chemostat,
  turbidostat,
  fedBatch,
  pidMorbidostat,
  dosingSilent,
];

export const ledAutomations: readonly LedAutomation[] = [lightDarkCycle, ledSilent];

export const temperatureAutomations: readonly AutomationDeclaration[] = [thermostatAutomation, onlyRecordTemperature];

const described = (all: readonly AutomationDeclaration[]): readonly AutomationDescriptor[] =>
  all.map((one) => automationDescriptor(one));

/** The automations of this release by type, as forms are drawn from them. */
export const builtInAutomations: Readonly<Record<AutomationType, readonly AutomationDescriptor[]>> = {
  dosing: described(dosingAutomations),
  led: described(ledAutomations),
  temperature: described(temperatureAutomations),
};
