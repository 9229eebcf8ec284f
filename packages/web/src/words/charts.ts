import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const chartsWords = {
  // Breaks
  powerOrCrash: 'power or crash',
  stoppedInline: 'stopped',

  // Break legend
  breaksOn: (title: string) => `Breaks on ${title}`,
  stopped: 'Stopped',
  offMeaning: 'power failed or the program crashed, and nothing was measured.',
  stoppedMeaning: 'the unit had been stopped, and nothing was measured.',

  // Group lines
  meanHelp:
    'A mean is of the n units of its group that have values at that time. Where a unit joins or leaves, the line is broken: point there to see how many units it is of.',
  meanChanges: (before: string, moment: string, after: number) =>
    `mean of ${before} until ${moment}, of ${after} since`,
  meanOfOtherUnits: (moment: string) => `mean of other units since ${moment}`,
  countRange: (least: number, most: number) => `n = ${least}–${most}`,

  // Plot reading
  andCountN: (count: number) => `, n = ${count}`,

  // Plot text
  noReadings: 'No readings.',
  nothing: 'nothing',
  newestValues: (values: string) => `Newest values: ${values}.`,
  noReadingsInline: 'no readings',

  // Box at the pointer
  andMore: (rest: number) => `and ${rest} more`,
  andMoreEvents: (count: number) => `and ${count} more events`,
  now: 'now',

  // Chart export
  experimentFromTo: (experiment: string, fromMs: string, toMs: string) => `${experiment}: ${fromMs} to ${toMs}`,
  saveThisView: 'Save this view',
  saveAs: (descriptorTitle: string, format: string) => `Save ${descriptorTitle} as ${format}`,

  // Chart options
  mostValues: 'Most values',
  allValues: 'All values',
  fixed: 'Fixed',
  enterTwoNumbers: 'Enter two numbers.',
  limitsReversed: 'The upper limit must be above the lower one.',
  logarithmNeedsAboveZero: 'A logarithmic scale begins above 0.',
  apply: 'Apply',
  optionsOf: (title: string) => `Options of ${title}`,
  scaleAndExport: 'Scale and export',
  verticalAxis: 'Vertical axis',
  valuesOf: (title: string) => `Values of ${title}`,
  outliersMarked: 'Single values far from all others are marked at the edge.',
  logarithmicScale: 'Logarithmic scale',

  // Flag legend
  marksOn: (title: string) => `Marks on ${title}`,

  // Chart card
  allUnitsHidden: 'All units with readings are hidden. Switch them on in the list above.',
  lastReadingAt: (moment: ReactNode) => rich`Last reading of the experiment: ${moment}.`,
  endedWithoutReadings: 'No readings in this window.',
  showWhole: 'Show whole experiment',
  noReadingsInWindow: 'No readings in this window.',
  noReadingsYet: (title: string) =>
    `No readings in this window yet. “${title}” is running; its first reading comes soon.`,
  noReadingsStartJob: (title: string) => `No readings in this window. Start “${title}” on a unit to see it here.`,
  deviationsOfPointedUnit: (bandDeviations: number) => `±${bandDeviations} SD: point at a unit`,
  deviationsShaded: (bandDeviations: number) => `shaded: ±${bandDeviations} SD`,
  asMeasured: 'as measured',
  log: 'log',
  logScaleFor: (descriptorTitle: string) => `Log scale for ${descriptorTitle}`,
  logarithmicScaleHelp: 'Logarithmic scale: even growth is a straight line',
  meanOfEachGroup: 'mean ± SD of each group',
  loading: 'Loading…',

  // Chart picker
  chartsShown: (count: number) => `Charts: ${count}`,
  resetToDefaultCharts: 'Reset to default charts',

  // Unit legend
  unitsOnCharts: 'Units on the charts',
  show: 'show',
  hide: 'hide',
  legendHelp: (unit: string, text: string) => `${unit}: click to ${text}, double click to show only this unit`,

  // Window buttons
  earlier: 'Earlier',
  later: 'Later',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  moveAndZoomCharts: 'Move and zoom the charts',
  resetZoom: 'Reset zoom',

  // Charts panel
  overlaid: 'Overlaid',
  perUnit: 'Per unit',
  groups: 'Groups',
  windowOfTime: 'Window of time',
  view: 'View',
  timeOnCharts: 'Time on the charts',
  clockInZone: (zones: string) => `Clock (${zones})`,
  arrangementOfCharts: 'Arrangement of the charts',
  noGroups:
    'This experiment has no groups of replicates: each unit keeps its line. Put units into groups under “Setup”.',
  loadingCharts: 'Loading charts',
  noChartChosen: 'No chart is chosen for this experiment. Choose some under “Charts”.',

  // Bands
  atEnd: (title: string, unit: string, ends: string) => `${title}, ${unit}, at the end: ${ends}`,

  // Band chart
  bandIsCut: 'A shaded interval is wider than the chart and is cut at its edge; point there to read its limits.',
  end: 'the end',
} as const;
