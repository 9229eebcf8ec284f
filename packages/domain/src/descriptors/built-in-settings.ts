import type { DescribedSetting, SettingsDescriptor } from '@lcs/contract';
import type { BioreactorKey, BioreactorValues } from '../bioreactor/bioreactor-values.ts';
import { readingSources } from '../readings/reading-sources.ts';

const altMediaFraction = readingSources.alt_media_fraction.table;

const value = (
  key: string,
  label: string,
  description: string,
  more: Partial<DescribedSetting> = {},
): DescribedSetting => ({
  key,
  type: 'numeric',
  display: true,
  description,
  default: null,
  unit: 'mL',
  label,
  editable: true,
  min: 0,
  max: null,
  ...more,
});

/** The settings of a unit's vial. @param initial values at the start of an experiment */
function bioreactorSettings(initial: BioreactorValues): SettingsDescriptor {
  const start = (key: BioreactorKey) => ({ default: initial[key] });
  return {
    key: 'bioreactor',
    display_name: 'Bioreactor',
    display: true,
    published_settings: [
      value('current_volume_ml', 'Current volume', 'Volume of liquid in the vial.', start('current_volume_ml')),
      value(
        'efflux_tube_volume_ml',
        'Efflux tube level',
        'Volume at the level of the end of the waste tube: the waste pump cannot remove liquid below it.',
        start('efflux_tube_volume_ml'),
      ),
      value('alt_media_fraction', altMediaFraction.title, altMediaFraction.description, {
        ...start('alt_media_fraction'),
        unit: null,
        max: 1,
      }),
      value(
        'cumulative_media_added_ml',
        'Cumulative media added',
        'Medium added in this experiment so far.',
        start('cumulative_media_added_ml'),
      ),
      value(
        'cumulative_waste_removed_ml',
        'Cumulative waste removed',
        'Liquid removed in this experiment so far.',
        start('cumulative_waste_removed_ml'),
      ),
    ],
    source: 'app',
    description: 'State of the vial.',
    subtext: null,
  };
}

const passive = { type: 'string', editable: false, unit: null, min: null } as const;

const leds: SettingsDescriptor = {
  key: 'leds',
  display_name: 'LEDs',
  display: false,
  published_settings: [value('intensity', 'LED intensity', 'Intensity of each LED channel, in %.', passive)],
  source: 'app',
  description: 'Light of the unit.',
  subtext: null,
};

const pwms: SettingsDescriptor = {
  key: 'pwms',
  display_name: 'PWMs',
  display: false,
  published_settings: [value('dc', 'PWM intensity', 'Duty cycle of each PWM output, in %.', passive)],
  source: 'app',
  description: 'Pumps, heater and stirrer of the unit.',
  subtext: null,
};

/** The built-in collections of settings. @param initial values of a vial */
export const builtInSettings = (initial: BioreactorValues): readonly SettingsDescriptor[] => [
  bioreactorSettings(initial),
  leds,
  pwms,
];
