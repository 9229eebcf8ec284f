import { ledAutomation } from './led-automation.ts';

const minutes = (label: string, usual: number) =>
  ({ label, unit: 'min', default: usual, min: 0, max: 100_000 }) as const;

const minuteMs = 60_000;

/** Day and night, beginning with day. */
export const lightDarkCycle = ledAutomation({
  name: 'light_dark_cycle',
  displayName: 'Light/Dark Cycle',
  help: 'Switches the light on and off in turn, as day and night do.',
  parameters: {
    light_intensity: { label: 'Light intensity', unit: '%', default: 5, min: 0, max: 100, lowerIsSafer: true },
    light_duration_minutes: minutes('Light duration', 960),
    dark_duration_minutes: minutes('Dark duration', 480),
  },
  ignored: { duration: { label: 'Time between events', unit: 'min', default: 1, isDisabled: true } },
  channels: ['D', 'C'],
  look: (elapsedMs, setting) => {
    const [light, dark] = [setting('light_duration_minutes'), setting('dark_duration_minutes')];
    const percent = setting('light_intensity');
    if (light <= 0) return { percent: 0, changesInMs: undefined, rule: 'No time of light is set: it is always dark.' };
    if (dark <= 0) return { percent, changesInMs: undefined, rule: 'No time of darkness is set: it is always light.' };
    const [lightMs, wholeMs] = [minuteMs * light, minuteMs * (light + dark)];
    const phaseMs = elapsedMs % wholeMs;
    const isLit = phaseMs < lightMs;
    return {
      percent: isLit ? percent : 0,
      changesInMs: (isLit ? lightMs : wholeMs) - phaseMs,
      rule: `Of each ${light + dark} min the first ${light} are light; ${Math.floor(phaseMs / minuteMs)} have passed.`,
    };
  },
});
