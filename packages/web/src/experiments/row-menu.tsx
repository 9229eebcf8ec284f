import { ActionIcon, Menu } from '@mantine/core';
import { useRef } from 'react';
import { ConcernedExperiment } from '../services/use-may.ts';
import { DotsIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { type ExperimentActions, ExperimentItems } from './experiment-items.tsx';

/** The actions for one experiment of a list. */
export function RowMenu(props: ExperimentActions) {
  const { experiment } = props.row.experiment;
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={opener} variant="subtle" color="gray" aria-label={commonWords.actionsFor(experiment)}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <ConcernedExperiment value={experiment}>
          <ExperimentItems {...props} opener={opener.current} />
        </ConcernedExperiment>
      </Menu.Dropdown>
    </Menu>
  );
}
