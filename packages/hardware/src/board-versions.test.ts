import { describe, expect, it } from 'vitest';
import { board10, board12, converterAddresses } from './board-layout.ts';
import { boardVersions, layoutOf, type ReactorModel } from './board-versions.ts';

const model = (name: string, version = '1.5'): ReactorModel => ({ name, version });

describe('a board under a reactor', () => {
  it.each([
    ['1.2', undefined, { 1: 0x48, 2: 0x49 }],
    ['1.1', model('reactor_40ml'), { 1: 0x48, 2: 0x49 }],
    ['1.2', model('reactor_20ml'), { 1: 0x49, 2: 0x4a }],
    ['1.2', model('reactor_20ml_XR'), { 1: 0x49, 2: 0x4a, 3: 0x4b, 4: 0x48 }],
    ['1.0', model('reactor_20ml', '1.1'), board10.photodiodes],
    [
      '1.2',
      model('reactor_40ml', '1.0'),
      { 1: { chip: 'controller', address: 0x2c, input: 2 }, 2: { chip: 'controller', address: 0x2c, input: 3 } },
    ],
  ] as const)('%s with %o has its photodiodes where they are', (version, reactor, photodiodes) => {
    expect(layoutOf(version, reactor)).toMatchObject({ photodiodes });
  });

  it('may have them in one of two ways under the 20 ml reactor', () => {
    expect(layoutOf('1.2', model('reactor_20ml')).otherPhotodiodes).toEqual([{ 1: 0x48, 2: 0x49 }]);
  });

  it('of version 1.0 cannot carry the newer optics, whose addresses its own chips have', () => {
    const layout = layoutOf('1.0', model('reactor_40ml'));
    expect(layout.photodiodes).toEqual({});
    expect(layout.noPhotodiodes).toContain('need a board of version 1.1 or later');
  });

  it('is marked as assumed under a model without a description', () => {
    expect(layoutOf('1.2', model('my_own', '3'))).toMatchObject({ photodiodes: board12.photodiodes, isAssumed: true });
    const changes = { boards: {}, models: { 'my_own/3': { photodiodes: { 1: 0x4a } } } };
    const layout = layoutOf('1.2', model('my_own', '3'), changes);
    expect([layout.photodiodes, layout.isAssumed]).toEqual([{ 1: 0x4a }, undefined]);
  });

  it('is changed by files about the board, and those are by files about the model', () => {
    const changes = {
      boards: { '1.2': { hallLine: 20, pwmLines: { 5: 19 }, photodiodes: { 1: 0x4a } } },
      models: { 'reactor_40ml/1.5': { photodiodes: { 2: 0x4b } } },
    };
    expect(layoutOf('1.2', model('reactor_20ml'), changes)).toEqual({
      ...board12,
      hallLine: 20,
      pwmLines: { ...board12.pwmLines, 5: 19 },
      photodiodes: { 1: 0x4a },
    });
    expect(layoutOf('1.2', undefined, changes).photodiodes).toEqual({ 2: 0x4b });
    expect(layoutOf('1.1', undefined, changes)).toEqual({ ...board12, photodiodes: { 2: 0x4b } });
  });

  it('has no two chips at one address, and no two things on one line', () => {
    for (const version of boardVersions) {
      for (const reactor of [
        model('reactor_20ml', '1.0'),
        model('reactor_20ml'),
        model('reactor_40ml'),
        model('reactor_20ml_XR'),
      ]) {
        const { photodiodes, ledDriver, temperatureAddress, pwmLines, ...lines } = layoutOf(version, reactor);
        const shared = Object.values(photodiodes).some(
          (place) => typeof place !== 'number' && place.chip === 'controller',
        );
        const addresses = [
          ...converterAddresses(photodiodes),
          ...(shared ? [] : [ledDriver.address]),
          temperatureAddress,
        ];
        expect(new Set(addresses).size).toBe(addresses.length);
        const used = [...Object.values(pwmLines), lines.hallLine, lines.statusLightLine, lines.buttonLine];
        expect(new Set(used).size).toBe(used.length);
      }
    }
  });
});
