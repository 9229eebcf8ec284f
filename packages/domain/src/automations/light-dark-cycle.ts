import { minuteMs } from '@lcs/contract/durations';
import { ledAutomation } from './led-automation.ts';

const minutesParameter = (label: string, minutes: number) =>
  ({ label, unit: 'min', default: minutes, min: 0, max: 100_000 }) as const;

/** Day and night, beginning with day. */
export const lightDarkCycle = ledAutomation({
  name: 'light_dark_cycle',
  displayName: 'Light/dark cycle',
  help: 'Switches the light on and off in turn, like day and night.',
  parameters: {
    light_intensity: { label: 'Light intensity', unit: '%', default: 5, min: 0, max: 100, lowerIsSafer: true },
    light_duration_minutes: minutesParameter('Light duration', 960),
    dark_duration_minutes: minutesParameter('Dark duration', 480),
  },
  ignored: { duration: { label: 'Time between events', unit: 'min', default: 1, isDisabled: true } },
  channels: ['D', 'C'],
  evaluate: (elapsedMs, setting) => {
    const [light, dark] = [setting('light_duration_minutes'), setting('dark_duration_minutes')];
    const percent = setting('light_intensity');
    if (light <= 0)
      return { percent: 0, changesInMs: undefined, rule: 'The light duration is 0 min: the light is always off.' };
    if (dark <= 0)
      return { percent, changesInMs: undefined, rule: 'The dark duration is 0 min: the light is always on.' };
    const [lightMs, wholeMs] = [minuteMs * light, minuteMs * (light + dark)];
    const phaseMs = elapsedMs % wholeMs;
    const isLit = phaseMs < lightMs;
    return {
      percent: isLit ? percent : 0,
      changesInMs: (isLit ? lightMs : wholeMs) - phaseMs,
      rule: `The light is on for the first ${light} min of each ${light + dark} min; ${Math.floor(phaseMs / minuteMs)} min have passed.`,
    };
  },
});
