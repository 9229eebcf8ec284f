/**
 * Colours of units, after the palette of Okabe and Ito for colour-blind people; darkened or lightened to a contrast of at
 * least 3 to 1 with the surface.
 */
export const unitColours = {
  light: ['#0072b2', '#d55e00', '#008f68', '#c56a9b', '#5c4a00', '#332288', '#85133c', '#4d5761'],
  dark: ['#56b4e9', '#f08c3c', '#1fae86', '#c9699f', '#f0e442', '#7b84f5', '#ffb3c7', '#dfe4e7'],
} as const;

/** The colour and the dashes of a unit's lines: with more units than colours the dashes differ. */
export interface UnitStyle {
  readonly colour: string;
  readonly dash: readonly number[];
}

const dashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export function unitStyle(index: number, scheme: 'light' | 'dark', channelIndex = 0): UnitStyle {
  const colours = unitColours[scheme];
  const round = Math.floor(index / colours.length);
  return {
    colour: colours[index % colours.length] ?? colours[0],
    dash: dashes[(round + channelIndex) % dashes.length] ?? [],
  };
}
