import { type IniView, JobConfigError } from '@lcs/platform';

export { JobConfig, JobConfigError } from '@lcs/platform';

/** Key of the section that carries this label, for instance the PWM channel called `stirring`. */
export function labelled(view: IniView, section: string, label: string): string | undefined {
  return Object.entries(view[section] ?? {}).find(([, value]) => value.trim() === label)?.[0];
}

/** Usual label of each PWM channel, where the configuration names none at all. */
const usualPwm = { stirring: '1', media: '2', alt_media: '3', waste: '4', heating: '5' } as const;

/** Output of the PWM channel with this label. @throws JobConfigError when the channels are labelled otherwise */
export function pwmOutput(view: IniView, label: keyof typeof usualPwm): string {
  const isSilent = Object.values(view.PWM ?? {}).every((value) => value.trim() === '');
  const channel = isSilent ? usualPwm[label] : labelled(view, 'PWM', label);
  if (channel === undefined || !/^[1-5]$/.test(channel))
    throw new JobConfigError('PWM', '1…5', '…', `such that one of them is ${label}`);
  return `pwm${channel}`;
}
