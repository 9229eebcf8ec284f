/** The tabs of the alarms page. */
const alarmTabs = ['now', 'rules', 'channels'] as const;
export type AlarmTab = (typeof alarmTabs)[number];

/** The search part of the address of the alarms page; without a tab it shows the open alarms. */
export interface AlarmsSearch {
  readonly tab?: AlarmTab;
}

/** The tab of that name, if there is one. */
export const alarmTabOf = (text: unknown): AlarmTab | undefined => alarmTabs.find((tab) => tab === text);

/** Reads the search part of an address, which a person may have entered; invalid parts are left out. */
export function readAlarmsSearch({ tab }: Record<string, unknown>): AlarmsSearch {
  const known = alarmTabOf(tab);
  return known === undefined || known === 'now' ? {} : { tab: known };
}
