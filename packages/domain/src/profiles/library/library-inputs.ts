/** What people need to know of an input of a library profile to set it. */
export interface InputWords {
  readonly label: string;
  readonly unit: string | null;
  readonly hint?: string;
}

const rateUnit = 'h⁻¹';
const startOd = '× start OD';
const normalised = 'A normalised OD: 1 is the OD half an hour after the start.';

const temperature_c = { label: 'Temperature', unit: '°C' };
const stir_rpm = { label: 'Stirring speed', unit: 'RPM' };
const exchange_ml = { label: 'Volume of one exchange', unit: 'mL' };
const culture = { temperature_c, stir_rpm };

const chemostatRate = (which: string): InputWords => ({
  label: `${which} dilution rate`,
  unit: rateUnit,
  hint: 'Below the maximum growth rate, or the culture is washed out. A step lasts five exchanges of the culture, 5 / rate hours: change the times below with it.',
});

/** The inputs of each profile of the library, by its file. */
export const libraryInputs: Readonly<Record<string, Readonly<Record<string, InputWords>>>> = {
  'growth-curve.yaml': {
    ...culture,
    slow_growth: {
      label: 'Stationary below',
      unit: rateUnit,
      hint: 'The event log says when the growth rate falls below it.',
    },
  },
  'chemostat-series.yaml': {
    ...culture,
    culture_ml: { label: 'Culture volume', unit: 'mL', hint: 'The volume up to the end of the waste tube.' },
    exchange_ml,
    rate_1: chemostatRate('First'),
    rate_2: chemostatRate('Second'),
    rate_3: chemostatRate('Third'),
  },
  'turbidostat-ramp.yaml': {
    ...culture,
    first: { label: 'First target OD', unit: startOd, hint: normalised },
    step: { label: 'Step of the target', unit: startOd },
    top: { label: 'Last target OD', unit: startOd },
    exchange_ml: { ...exchange_ml, label: 'Volume of one dilution' },
  },
  'morbidostat.yaml': {
    ...culture,
    growth_target: {
      label: 'Target growth rate',
      unit: rateUnit,
      hint: 'Clearly below the growth rate without the drug.',
    },
    density_target: {
      label: 'Target OD',
      unit: startOd,
      hint: `${normalised} The culture grows without doses up to 70 % of it.`,
    },
    interval_min: { label: 'Time between decisions', unit: 'min' },
  },
  'temperature-ramp.yaml': {
    stir_rpm,
    first_c: {
      label: 'First temperature',
      unit: '°C',
      hint: 'Above room temperature: the thermostat cannot cool.',
    },
    step_c: { label: 'Step of two hours', unit: '°C' },
    last_c: { label: 'Last temperature', unit: '°C' },
  },
  'light-cycle.yaml': {
    ...culture,
    light_percent: { label: 'Light intensity', unit: '%' },
    day_min: { label: 'Light for', unit: 'min' },
    night_min: { label: 'Dark for', unit: 'min' },
  },
  'fed-batch.yaml': {
    ...culture,
    start_ml: {
      label: 'Starting volume',
      unit: 'mL',
      hint: 'What you have filled in. With eight additions it must fit into the vial.',
    },
    feed_ml: { label: 'Volume of one addition', unit: 'mL' },
    slow_growth: { label: 'Feed below a growth rate of', unit: rateUnit },
  },
  'medium-switch.yaml': {
    ...culture,
    switch_at: { label: 'Change the medium at', unit: startOd, hint: normalised },
    circulation_s: {
      label: 'Circulation',
      unit: 's',
      hint: 'The pump runs for at most 85 % of it. One volume of the vial replaces 63 % of the medium, three volumes 95 %.',
    },
  },
  'replicate-design.yaml': {
    stir_rpm,
    control_c: { label: 'Temperature of the control', unit: '°C' },
    treated_c: { label: 'Temperature of the treated units', unit: '°C' },
  },
  'sampling-reminder.yaml': {
    ...culture,
    exchange_ml: {
      ...exchange_ml,
      hint: 'The dilution rate is 60 × this / (minutes between exchanges × volume): 0.5 mL every 20 min in 14 mL is 0.11 per hour.',
    },
    interval_min: { label: 'Time between exchanges', unit: 'min' },
    sample_ml: { label: 'Sample volume', unit: 'mL' },
  },
};
