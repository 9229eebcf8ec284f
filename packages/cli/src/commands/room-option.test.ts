import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { roomCourse } from './room-option.ts';

describe('the room of a simulated vial', () => {
  it('is constant, a daily wave, or a step', () => {
    expect(roomCourse('22')).toEqual({ ambientC: 22 });
    expect(roomCourse('22~4.5')).toEqual({ ambientC: 22, room: { kind: 'wave', amplitudeC: 4.5, periodS: 86_400 } });
    expect(roomCourse('30>18@0.5h')).toEqual({
      ambientC: 30,
      room: { kind: 'steps', steps: [{ atS: 1800, celsius: 18 }], timeConstantS: 900 },
    });
  });

  it.each(['', 'warm', '22>', '22>30', '22>30@3', '51', '22>60@1h', '-3', '22~'])('refuses %j', (text) => {
    expect(() => roomCourse(text)).toThrow(InvalidArgumentError);
  });
});
