import { board12 } from '../board-layout.ts';
import { BoardLink } from '../board-process/board-link.ts';
import { Actuators } from '../guard/actuators.ts';
import { Guard } from '../guard/guard.ts';
import { GuardChild } from '../guard/guard-child.ts';
import type { GuardNews } from '../guard/guard-link.ts';
import { usualWiring } from '../guard/guard-types.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { vialPlantOf } from '../vial-plant/vial-plant-settings.ts';
import { NewsExchange } from './news-exchange.ts';
import { OwnBoardProcess } from './own-board-process.ts';
import type { BoardApart, BoardHere, UnitBoard, UnitBoardOptions } from './unit-board.ts';

/** Puts a unit's board, guard and actuators together; nothing runs before the parts are started. @throws UnknownSimulation */
export const openUnitBoard = (options: UnitBoardOptions): UnitBoard =>
  options.kind === 'simulated_here' ? boardHere(options) : boardApart(options);

function boardHere(options: BoardHere): UnitBoard {
  const { clock, seed, vial, layout = board12, wiring = usualWiring } = options;
  const plant = vialPlantOf(vial, seed, { layout, ...(options.plantWiring && { wiring: options.plantWiring }) });
  const board = new SimulatedBoard({
    layout,
    plant,
    clock,
    seed,
    ...(options.oversampling && { oversampling: options.oversampling }),
    ...(options.witness && { witness: options.witness }),
  });
  const buses = options.between?.(board) ?? board;
  const news = new NewsExchange();
  // Nobody watches whether the node lives: a guard beside it would stand still with it.
  const guard = new Guard({ buses, layout, wiring, clock, watch: undefined, notify: (notice) => news.tell(notice) });
  const actuators = new Actuators({ guard, wire: undefined });
  news.connect(actuators);
  return {
    buses,
    actuators,
    layout,
    wiring,
    parts: [guard, actuators],
    isSimulated: true,
    onNews: (listener) => news.listen(listener),
    view: async () => board.view(),
    plant,
    saveState: () => plant.state(clock.monotonic()),
  };
}

function boardApart(options: BoardApart): UnitBoard {
  const { socketPath, wire, own, layout = board12, wiring = usualWiring } = options;
  const link = new BoardLink({ socketPath, wire });
  const news = new NewsExchange();
  const guard = new GuardChild({
    process: { board: { kind: 'simulated', socketPath }, layout, wiring },
    wire,
    onNews: (told: GuardNews) => news.tell(told),
  });
  const actuators = new Actuators({ guard, wire });
  news.connect(actuators);
  const board = own === undefined ? [] : [new OwnBoardProcess({ socketPath, layout, wire, ...own })];
  return {
    buses: link,
    actuators,
    layout,
    wiring,
    parts: [...board, link, guard, actuators],
    isSimulated: true,
    view: () => link.view(),
    onNews: (listener) => news.listen(listener),
  };
}
