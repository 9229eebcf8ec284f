/** The pages of alarms, in their order. */
export const alarmTabs = ['now', 'history', 'rules', 'notifications'] as const;
export type AlarmTab = (typeof alarmTabs)[number];

/** The page of that name, if there is one; `channels` is a name of an earlier version. */
export function alarmTabOf(text: unknown): AlarmTab | undefined {
  if (text === 'channels') return 'notifications';
  return alarmTabs.find((tab) => tab === text);
}
