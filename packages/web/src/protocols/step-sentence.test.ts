import type { PlannedAction } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { decisionSentence, expressionWords, stepSentence } from './step-sentence.ts';

const step = (job_name: string, action: string, more: Partial<PlannedAction> = {}) =>
  stepSentence({ job_name, action, options: {}, condition: null, iteration: 0, ...more });

/** An expression as a profile has it. */
const computed = (expression: string) => `\${{ ${expression} }}`;

describe('a step of a profile', () => {
  it.each([
    [step('stirring', 'start', { options: { target_rpm: 400 } }), 'Start stirring: target stir RPM 400'],
    [
      step('temperature_automation', 'start', { options: { automation_name: 'thermostat', target_temperature: 37 } }),
      'Start temperature control (thermostat): target temperature 37 °C',
    ],
    [
      step('dosing_automation', 'start', {
        options: { automation_name: 'turbidostat', target_biomass: computed('first'), biomass_signal: 'normalized_od' },
      }),
      'Start dosing (turbidostat): target biomass by the formula “first”, biomass signal normalised OD',
    ],
    // The unit of a target is that of its signal.
    [
      step('dosing_automation', 'start', {
        options: { automation_name: 'turbidostat', target_biomass: 4, biomass_signal: 'normalized_od' },
      }),
      'Start dosing (turbidostat): target biomass 4 × start OD, biomass signal normalised OD',
    ],
    [
      step('dosing_automation', 'update', { options: { target_biomass: 5 }, biomass_signal: 'normalized_od' }),
      'Change dosing: target biomass 5 × start OD',
    ],
    // A unit may have a calibrated OD, or not.
    [
      step('dosing_automation', 'update', { options: { target_biomass: 0.5 }, biomass_signal: 'od' }),
      'Change dosing: target biomass 0.5',
    ],
    [
      step('stirring', 'start', { options: { target_rpm: computed('rpm') }, planned_options: { target_rpm: 500 } }),
      'Start stirring: target stir RPM 500',
    ],
    [step('od_reading', 'stop'), 'Stop OD reading'],
    [step('stirring', 'pause', { condition: 'go > 1' }), 'Pause stirring, if go > 1'],
    [
      step('dosing_automation', 'update', {
        options: { target_biomass: computed('min(::dosing_automation:target_biomass + step, top)') },
      }),
      'Change dosing: target biomass by the formula “min(target biomass + step, top)”',
    ],
    [step('my_plugin_job', 'start', { options: { air_flow: [1] } }), 'Start my plugin job: air flow [1]'],
  ])('is a sentence: %s', (sentence, expected) => {
    expect(sentence).toBe(expected);
  });

  it('has waits, loops and log entries', () => {
    expect(step('stirring', 'when', { condition: '::stirring:target_rpm >= 450' })).toBe(
      'Wait until target stir RPM ≥ 450',
    );
    expect(step('stirring', 'repeat', { iteration: 2, condition: 'n_steps < 3' })).toBe(
      'Begin iteration 3 of the loop, as long as the formula “n steps < 3” is true',
    );
    const loop = {
      condition: '::dosing_automation:target_biomass < top',
      planned_condition: '::dosing_automation:target_biomass < 8',
      biomass_signal: 'normalized_od',
    };
    expect(step('dosing_automation', 'repeat', loop)).toBe(
      'Begin iteration 1 of the loop, until target biomass reaches 8 × start OD',
    );
    const ended = { job_name: 'dosing_automation', action: 'repeat', options: {}, iteration: 4, ...loop };
    expect(decisionSentence(ended)).toBe('The loop ends: target biomass reaches 8 × start OD');
    expect(step('stirring', 'repeat')).toBe('Begin iteration 1 of the loop');
    expect(
      step('stirring', 'log', { options: { message: `${computed('unit()')} grows at ${computed('rate*2')}.` } }),
    ).toBe('Write to the event log: “‹name of the unit› grows at ‹rate × 2›.”');
  });
});

describe('an expression', () => {
  it.each([
    ['::growth_rate_calculating:growth_rate.growth_rate > 2 * slow_growth', 'growth rate > 2 × slow growth'],
    ['unit2:temperature_automation:target_temperature == 37', 'target temperature of unit2 = 37'],
    ['::stirring:$state == "ready"', 'state of stirring = "ready"'],
    ['2 ** 3 != hours_elapsed()', '2 ** 3 ≠ hours since the start'],
  ])('%s is %s', (expression, words) => {
    expect(expressionWords(expression)).toBe(words);
  });
});
