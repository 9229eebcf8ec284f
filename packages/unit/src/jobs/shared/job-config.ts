import { ConfigValueError, photodiodeSettings, pwmSettings, shippedValues } from '@lcs/domain';
import type { IniView } from '@lcs/platform';

const keyOf = (values: Readonly<Record<string, string>>, label: string): string | undefined =>
  Object.entries(values).find(([, value]) => value.trim() === label)?.[0];

/** Key of the section that has this label, for instance the PWM channel called `stirring`. */
export const labelled = (view: IniView, section: string, label: string): string | undefined =>
  keyOf(view[section] ?? {}, label);

/** Channel of the infrared LED; where the configuration has no section for LEDs, that of a new leader's file. */
export const infraredChannel = (view: IniView): string | undefined => keyOf(view.leds ?? shippedValues('leds'), 'IR');

/** Output of the PWM channel with this label. @throws ConfigValueError when the channels are labelled otherwise */
export function pwmOutput(view: IniView, label: keyof typeof pwmSettings): string {
  const isSilent = Object.values(view.PWM ?? {}).every((value) => value.trim() === '');
  const channel = isSilent ? pwmSettings[label].key : labelled(view, 'PWM', label);
  if (channel === undefined || !/^[1-5]$/.test(channel))
    throw new ConfigValueError('PWM', '1…5', '…', `such that one of them is ${label}`);
  return `pwm${channel}`;
}

export const photodiodeSection = photodiodeSettings[1].section;

/** What each photodiode measures, as text; those without an angle are left out. */
export const configuredPhotodiodes = (view: IniView): readonly { readonly channel: string; readonly angle: string }[] =>
  Object.entries(view[photodiodeSection] ?? shippedValues(photodiodeSection)).flatMap(([channel, text]) => {
    const angle = text.trim();
    return angle === '' ? [] : [{ channel, angle }];
  });
