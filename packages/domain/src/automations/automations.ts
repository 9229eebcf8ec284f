import type { AutomationDescriptor } from '@lcs/contract';
import { type AutomationDeclaration, type AutomationType, automationDescriptor } from './automation.ts';
import { chemostat } from './chemostat.ts';
import type { DosingAutomation } from './dosing-automation.ts';

import { fedBatch } from './fed-batch.ts';
import type { LedAutomation } from './led-automation.ts';

import { lightDarkCycle } from './light-dark-cycle.ts';
import { pidMorbidostat } from './pid-morbidostat.ts';
import { dosingSilent, ledSilent } from './silent-automations.ts';
import { onlyRecordTemperature, thermostatAutomation } from './temperature-automations.ts';
import { turbidostat } from './turbidostat.ts';

/** The built-in dosing automations, in the order of forms. To add one, add a file here and a line to this list. */
export const dosingAutomations: readonly DosingAutomation[] = [
  chemostat,
  turbidostat,
  fedBatch,
  pidMorbidostat,
  dosingSilent,
];

export const ledAutomations: readonly LedAutomation[] = [lightDarkCycle, ledSilent];

export const temperatureAutomations: readonly AutomationDeclaration[] = [thermostatAutomation, onlyRecordTemperature];

const descriptorsOf = (all: readonly AutomationDeclaration[]): readonly AutomationDescriptor[] =>
  all.map((one) => automationDescriptor(one));

/** The descriptors of the built-in automations by type. */
export const builtInAutomations: Readonly<Record<AutomationType, readonly AutomationDescriptor[]>> = {
  dosing: descriptorsOf(dosingAutomations),
  led: descriptorsOf(ledAutomations),
  temperature: descriptorsOf(temperatureAutomations),
};
