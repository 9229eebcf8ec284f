import { describe, expect, it } from 'vitest';
import {
  axesOfSearch,
  axisSearch,
  hiddenOfSearch,
  hiddenSearch,
  readChartSearch,
  zoomOfSearch,
  zoomSearch,
} from './chart-search.ts';

describe('the view of charts in an address', () => {
  it('is read as it was written', () => {
    const zoom = { fromMs: Date.parse('2026-05-01T10:00:00.000Z'), toMs: Date.parse('2026-05-01T11:30:00.000Z') };
    const axes = axesOfSearch(axisSearchOf('optical_density', true, [0.02, 1.5]));
    const search = readChartSearch({
      window: '3d',
      time: 'elapsed',
      arrange: 'groups',
      ...zoomSearch(zoom),
      ...axisSearch(axes, 'temperature', { isLogarithmic: false, y: 'all' }),
      ...hiddenSearch(new Set(['rx-1', '12'])),
    });
    expect(search).toMatchObject({ window: '3d', time: 'elapsed', arrange: 'groups' });
    expect(readChartSearch({ arrange: 'piled' })).toEqual({});
    expect(zoomOfSearch(search)).toEqual(zoom);
    expect(hiddenOfSearch(search)).toEqual(new Set(['rx-1', '12']));
    expect(axesOfSearch(search)).toEqual({
      logarithmic: new Set(['optical_density']),
      y: new Map<string, unknown>([
        ['optical_density', [0.02, 1.5]],
        ['temperature', 'all'],
      ]),
    });
    expect(readChartSearch(JSON.parse(JSON.stringify(search)))).toEqual(search);
  });

  it('has nothing for what is as usual', () => {
    const axes = axesOfSearch(axisSearchOf('optical_density', true, [0, 1]));
    const change = axisSearch(axes, 'optical_density', { isLogarithmic: false, y: 'auto' });
    expect(readChartSearch({ ...change, ...zoomSearch(null), ...hiddenSearch(new Set()) })).toEqual({});
  });

  it('leaves out what means nothing', () => {
    expect(
      readChartSearch({
        window: '2d',
        time: 'utc',
        from: '2026-05-02T00:00:00Z',
        to: '2026-05-01T00:00:00Z',
        y: 'od:1..x,od:2..1,:all,od',
        log: ['od'],
        hidden: {},
      }),
    ).toEqual({});
    expect(readChartSearch({ from: '2026-05-02T00:00:00Z' })).toEqual({});
    expect(readChartSearch({ hidden: 12 })).toEqual({ hidden: '12' });
    expect(readChartSearch({ y: 'od:1..2,x:9..1' })).toEqual({ y: 'od:1..2' });
  });
});

function axisSearchOf(key: string, isLogarithmic: boolean, y: readonly [number, number]) {
  const change = axisSearch({ logarithmic: new Set(), y: new Map() }, key, { isLogarithmic, y });
  return readChartSearch(change);
}
