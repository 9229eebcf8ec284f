import { defaultWiring } from '@lcs/hardware';
import { type IniView, Listeners, silentLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { OutputWiring, wiringOf } from './output-wiring.ts';

describe('the wiring of the outputs', () => {
  it('is the usual one where nothing is labelled', () => {
    for (const config of [{}, { PWM: { 1: '', 5: ' ' } }])
      expect(wiringOf(config, defaultWiring)).toEqual({ wiring: defaultWiring, clashes: [] });
  });

  it('follows the labels; what has none, or one that is not known, may be a pump', () => {
    const { wiring } = wiringOf(
      { PWM: { 1: 'heating', 2: ' stirring ', 3: 'rocker', 5: 'air_bubbler' } },
      defaultWiring,
    );
    expect(wiring).toEqual({
      1: { use: 'heater', hertz: 16 },
      2: { use: 'stirrer', hertz: 200 },
      3: { use: 'pump', hertz: 250 },
      4: { use: 'pump', hertz: 250 },
      5: { use: 'other', hertz: 200 },
    });
  });

  it('keeps outputs off that have the same label: there is one heater at most', () => {
    const shared = { 1: 'stirring', 2: 'media', 3: 'alt_media', 4: 'waste', 5: 'heating' };
    const { wiring, clashes } = wiringOf({ PWM: { ...shared, 1: 'heating', 3: 'waste' } }, defaultWiring);
    expect(clashes).toEqual(['waste', 'heating']);
    expect(wiring).toEqual({ 2: { use: 'pump', hertz: 250 } });
  });

  it('is sent to the guard when it changes, and only then', async () => {
    let view: IniView = {};
    const configured = new Listeners();
    const configure = (next: IniView) => {
      view = next;
      configured.publish();
    };
    const sent: object[] = [];
    const clashes: string[] = [];
    let changes = 0;
    const wiring = new OutputWiring({
      config: { view: () => view, onChange: (listener) => configured.add(listener) },
      defaults: defaultWiring,
      send: async (one) => void sent.push(one),
      onClash: (message) => clashes.push(message),
      log: silentLog(),
    });
    wiring.onChange(() => {
      changes += 1;
    });
    configure({});
    expect(sent).toEqual([]);
    await wiring.start();
    configure({});
    configure({ PWM: { 1: 'media' } });
    configure({ PWM: { 1: 'media' } });
    expect([sent.length, changes]).toEqual([2, 2]);
    expect(wiring.wiring[1]).toEqual({ use: 'pump', hertz: 250 });
    expect(clashes).toEqual([]);
    configure({ PWM: { 1: 'media', 2: 'media' } });
    configure({ PWM: { 1: 'media', 2: 'media' } });
    expect(clashes).toEqual(['Outputs with the same label in [PWM] stay off: media.']);
  });
});
