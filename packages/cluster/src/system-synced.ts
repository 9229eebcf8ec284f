import { existsSync } from 'node:fs';

/** Whether NTP has set the clock of this machine: systemd-timesyncd writes the file once it has. */
export const systemSynced = (): boolean => existsSync('/run/systemd/timesync/synchronized');
