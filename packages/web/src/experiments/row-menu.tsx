import { leaderApi } from '@lcs/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useMay } from '../services/use-may.ts';
import { DotsIcon } from '../ui/icons.tsx';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';

interface RowMenuProps {
  readonly row: ExperimentRow;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

/** The actions for one experiment of a list. */
export function RowMenu({ row, onDialog, onDuplicate }: RowMenuProps) {
  const { experiment } = row;
  const opener = useRef<HTMLButtonElement>(null);
  const may = useMay();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={opener} variant="subtle" color="gray" aria-label={`Actions for ${experiment.experiment}`}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/experiments/$experiment" params={{ experiment: experiment.experiment }} {...props} />
          )}
        >
          Open
        </Menu.Item>
        <Menu.Item
          onClick={() => onDialog({ kind: 'edit', experiment }, opener.current)}
          {...may(leaderApi.updateExperiment)}
        >
          Edit description and tags
        </Menu.Item>
        <Menu.Item onClick={() => onDuplicate(row, opener.current)} {...may(leaderApi.createExperiment)}>
          Duplicate
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          className="danger"
          onClick={() => onDialog({ kind: 'delete', row }, opener.current)}
          {...may(leaderApi.deleteExperiment)}
        >
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
