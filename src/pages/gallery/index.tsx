/** The gallery: every scenario with what it shows, how long it takes and whether its claim held when measured. */
import { Play, Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { VerdictBadge } from '../../components/badge';
import { type Shortcut, useShortcuts } from '../../components/shortcuts';
import { SolvedLake } from '../../components/solved-lake';
import { WorldThumbnail } from '../../components/world/thumbnail';
import { formatRoughly } from '../../formats/number';
import { CAPABILITIES, FIELDS } from '../../formats/scenario-words';
import { measuredText, VERDICTS } from '../../formats/verdict';
import { ENTRIES, type Entry, matches } from '../../stores/gallery';
import '../../styles/gallery.css';

/** The first to open: the first of these that there is. */
const HEROES = ['search-r1-mask', 'frozen-lake-8x8'];

interface Facet {
  readonly title: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly valuesOf: (entry: Entry) => readonly string[];
}
const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const FACETS: readonly Facet[] = [
  { title: 'Capability', options: optionsOf(CAPABILITIES), valuesOf: (entry) => entry.capabilities },
  { title: 'Field', options: optionsOf(FIELDS), valuesOf: (entry) => entry.fields },
  {
    title: 'Claim, measured here',
    options: VERDICTS.map((value) => ({ value, label: capitalize(value) })),
    valuesOf: (entry) => [entry.verdict],
  },
];
type Chosen = Readonly<Record<string, readonly string[]>>;

export function Gallery() {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<Chosen>({});
  const search = useRef<HTMLInputElement>(null);
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [{ key: '/', name: 'Search', run: () => search.current?.focus() }],
    [],
  );
  useShortcuts('Gallery', shortcuts);
  useEffect(() => {
    document.title = 'Gallery · Agentic RL Playground';
  }, []);
  const shown = ENTRIES.filter((entry) => fits(entry, query, chosen));
  const searching = query.trim() !== '' || Object.values(chosen).some((values) => values.length > 0);
  const hero = HEROES.flatMap((id) => ENTRIES.filter((entry) => entry.id === id))[0] ?? ENTRIES[0];
  return (
    <div className="gallery">
      <header className="gallery-head">
        <h1>Train a small agent. See why it works.</h1>
        <p>Every mechanism of agentic RL as a world you can open, switch off and compare, on your own GPU.</p>
      </header>
      <div className="gallery-side">
        <div className="input search">
          <Search size={16} aria-hidden />
          <input
            ref={search}
            type="search"
            placeholder="Search"
            aria-label="Search the scenarios"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
          <kbd aria-hidden>/</kbd>
        </div>
        <Filters query={query} chosen={chosen} onChoose={setChosen} />
      </div>
      {hero && !searching && <Hero entry={hero} />}
      <section className="gallery-list" aria-labelledby="all-scenarios">
        <div className="list-head">
          <h2 id="all-scenarios">{searching ? 'Scenarios found' : 'All scenarios'}</h2>
          <p role="status">
            {searching ? `${shown.length} of ${ENTRIES.length}` : ENTRIES.length}, ordered by what they build on
          </p>
        </div>
        {shown.length === 0 ? (
          <div className="empty">
            <p>No scenario has all of that.</p>
            <button
              type="button"
              className="button outlined"
              onClick={() => {
                setQuery('');
                setChosen({});
              }}
            >
              Show all scenarios
            </button>
          </div>
        ) : (
          <ul className="cards">
            {shown.map((entry) => (
              <li key={entry.id}>
                <Card entry={entry} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

function Card({ entry }: { entry: Entry }) {
  return (
    <Link href={`/workbench/${entry.id}`} className="card">
      <div className="card-world">
        <WorldThumbnail environment={entry.slots.environment.id} parameters={entry.slots.environment.parameters} />
      </div>
      <div className="card-body">
        <h3>{entry.title}</h3>
        <p>{entry.summary}</p>
        <div className="card-foot">
          {entry.seconds !== undefined && <span className="nowrap">{formatRoughly(entry.seconds)}</span>}
          <span>{entry.capabilities.map((word) => CAPABILITIES[word as keyof typeof CAPABILITIES]).join(', ')}</span>
          <VerdictBadge verdict={entry.verdict} />
        </div>
      </div>
    </Link>
  );
}

function Hero({ entry }: { entry: Entry }) {
  const claim = entry.claims[0];
  const { map } = entry.slots.environment.parameters;
  return (
    <section className="hero panel" aria-labelledby="hero-title">
      <div className="hero-text">
        <div className="hero-tags">
          <span className="badge plain">Start here</span>
          {entry.capabilities.map((word) => (
            <span key={word} className="badge plain">
              {CAPABILITIES[word as keyof typeof CAPABILITIES]}
            </span>
          ))}
        </div>
        <h2 id="hero-title">{entry.title}</h2>
        <p className="hero-summary">{entry.summary}</p>
        <div className="hero-ways">
          <Link href={`/workbench/${entry.id}`} className="button filled">
            <Play size={16} fill="currentColor" aria-hidden />
            Open
          </Link>
          {entry.seconds !== undefined && <span className="muted">{formatRoughly(entry.seconds)} a run</span>}
        </div>
        {claim && (
          <p className="hero-claim">
            <VerdictBadge verdict={entry.verdict} />
            <span>
              “{claim.sentence}” {measuredText(claim)}
            </span>
          </p>
        )}
        {entry.paper && <p className="muted">After {entry.paper.title}.</p>}
      </div>
      <figure className="hero-figure">
        {map === '4x4' || map === '8x8' ? (
          <>
            <SolvedLake map={map} />
            <figcaption>What each cell is worth, and the best step from it: exact values.</figcaption>
          </>
        ) : (
          <WorldThumbnail environment={entry.slots.environment.id} parameters={entry.slots.environment.parameters} />
        )}
      </figure>
    </section>
  );
}

function Filters({ query, chosen, onChoose }: { query: string; chosen: Chosen; onChoose: (chosen: Chosen) => void }) {
  const active = Object.values(chosen).reduce((sum, values) => sum + values.length, 0);
  const facets = FACETS.map((facet) => (
    <FacetChoices key={facet.title} facet={facet} query={query} chosen={chosen} onChoose={onChoose} />
  ));
  return (
    <>
      <div className="filters wide">{facets}</div>
      <details className="filters narrow">
        <summary className="button outlined">Filter{active > 0 && `, ${active} chosen`}</summary>
        {facets}
      </details>
    </>
  );
}

function FacetChoices({
  facet,
  query,
  chosen,
  onChoose,
}: {
  facet: Facet;
  query: string;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}) {
  const own = chosen[facet.title] ?? [];
  const others = { ...chosen, [facet.title]: [] };
  const options = facet.options.filter(({ value }) => ENTRIES.some((entry) => facet.valuesOf(entry).includes(value)));
  return (
    <fieldset>
      <legend>{facet.title}</legend>
      {options.map(({ value, label }) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={own.includes(value)}
            onChange={({ target }) =>
              onChoose({
                ...chosen,
                [facet.title]: target.checked ? [...own, value] : own.filter((one) => one !== value),
              })
            }
          />
          {label}
          <span className="count">
            {ENTRIES.filter((entry) => fits(entry, query, others) && facet.valuesOf(entry).includes(value)).length}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Any of the values chosen within a facet, in every facet that has a choice. */
function fits(entry: Entry, query: string, chosen: Chosen): boolean {
  return (
    matches(entry, query.trim()) &&
    FACETS.every((facet) => {
      const values = chosen[facet.title] ?? [];
      return values.length === 0 || facet.valuesOf(entry).some((value) => values.includes(value));
    })
  );
}
