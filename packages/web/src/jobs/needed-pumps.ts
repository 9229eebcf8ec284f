import { dosingAutomations, pumpDevices } from '@lcs/domain';

const pumpsOfDevices: Readonly<Record<string, string>> = {
  media_pump: 'media',
  alt_media_pump: 'alt_media',
  waste_pump: 'waste',
};

/** The pump devices that an automation needs calibrated. */
export function devicesNeededBy(automation: string | null): readonly string[] {
  const pumps: readonly string[] = dosingAutomations.find(({ name }) => name === automation)?.pumps ?? [];
  return pumpDevices.filter((device) => pumps.includes(pumpsOfDevices[device] ?? ''));
}
