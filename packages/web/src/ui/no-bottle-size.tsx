import { Link } from '@tanstack/react-router';
import { uiWords } from '../words/ui.ts';

/** Stands where the level of a bottle would be entered: a unit follows it only from the size of the bottle on. */
export const NoBottleSize = () => (
  <span>
    {uiWords.bottleWithoutSize}{' '}
    <Link to="/settings/configuration" search={{ find: 'bottle' }} className="page-link in-text">
      {uiWords.setSizesOfBottles}
    </Link>
  </span>
);
