export const jobFormsWords = {
  optionLabels: {
    current_volume_ml: 'Starting volume',
    efflux_tube_volume_ml: 'Waste tube level',
    alt_media_fraction: 'Alternative medium (fraction)',
  },
  optionHelp: {
    alt_media_fraction:
      'Share of the liquid in the vial that came from the alternative medium: 0 is none of it, 1 is all of it.',
  },
  chooseOne: 'Choose one: it is the scale of the target.',
  mustBeAbove0: 'Must be above 0.',
  oneOfIsNeeded: (choices: string) => `One of ${choices} is needed.`,
  unitDoesNotKnow: (what: string) =>
    `The unit does not know ${what}: its plugin is not installed there, or its program is another version.`,
  boardPartSilent: 'A part of the board that it needs does not answer.',
  joinedDefaults: (one: string, other: string) => `${one} or ${other}`,
} as const;
