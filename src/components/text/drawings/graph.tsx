/** The graph of facts: what is asked leads from the start along thick lines; what a query returned is solid. */
import { useId } from 'react';
import type { TextView } from '../../../engine/view';
import { curveOf, DOT, HEIGHT, nameOf, placeOf, WIDTH } from './graph-layout';

type Graph = Extract<TextView, { kind: 'graph' }>;
type Edge = Graph['edges'][number];

/** Facts bend so far from the straight line between their entities. */
const BEND = 14;
/** Characters of a name that the drawing has room for; the list has all. */
const SHORT = 11;

export function GraphDrawing({ view }: { view: Graph }) {
  const { entities, edges } = view;
  const marker = useId();
  const named = new Set([view.start, ...view.expected, ...(view.answer === null ? [] : [view.answer])]);
  const ordered = [...edges].sort((a, b) => rank(a) - rank(b));
  return (
    <figure className="drawing">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={inWords(view)}>
        <defs>
          <marker id={marker} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">
            <path d="M0 0.5L7.5 4L0 7.5z" className="graph-tip" />
          </marker>
        </defs>
        {ordered.map((edge) => {
          const { path } = shapeOf(edge, entities.length);
          return (
            <path
              key={keyOf(edge)}
              d={path}
              className={`graph-fact${edge.path ? ' way' : ''}${edge.seen ? ' seen' : ''}`}
              markerEnd={edge.path || edge.seen ? `url(#${marker})` : undefined}
            />
          );
        })}
        {entities.map((name, index) => {
          const { x, y } = placeOf(index, entities.length);
          return (
            <Entity
              key={name}
              x={x}
              y={y}
              start={index === view.start}
              answered={index === view.answer}
              right={view.expected.includes(index)}
            />
          );
        })}
        {entities.map((name, index) => {
          const { x, y, anchor } = nameOf(index, entities.length);
          return (
            <text
              key={name}
              x={x}
              y={y}
              textAnchor={anchor}
              className={named.has(index) ? 'graph-name strong' : 'graph-name'}
            >
              {name.length > SHORT ? `${name.slice(0, SHORT - 1)}…` : name}
            </text>
          );
        })}
        {ordered
          .filter(({ path, seen }) => path || seen)
          .map((edge) => {
            const { middle } = shapeOf(edge, entities.length);
            return (
              <text key={keyOf(edge)} x={middle.x} y={middle.y + 4} textAnchor="middle" className="graph-relation">
                {edge.relation}
              </text>
            );
          })}
      </svg>
      <figcaption>
        Thick: the way to the answer. Solid: a document told it. Square: start. Double ring: right answer. Filled: the
        answer given.
      </figcaption>
      <details>
        <summary>The same as a list</summary>
        <ul>
          {edges.map((edge) => (
            <li key={keyOf(edge)}>
              {entities[edge.from]} · {edge.relation} · {entities[edge.to]}
              {edge.seen && ', told'}
              {edge.path && ', on the way'}
            </li>
          ))}
        </ul>
      </details>
    </figure>
  );
}

function Entity({
  x,
  y,
  start,
  answered,
  right,
}: {
  x: number;
  y: number;
  start: boolean;
  answered: boolean;
  right: boolean;
}) {
  return (
    <g className={answered ? 'graph-entity answered' : 'graph-entity'}>
      {start ? <rect x={x - DOT} y={y - DOT} width={2 * DOT} height={2 * DOT} /> : <circle cx={x} cy={y} r={DOT} />}
      {right && <circle cx={x} cy={y} r={DOT + 3.5} className="graph-ring" />}
    </g>
  );
}

const keyOf = ({ from, to, relation }: Edge) => `${from} ${relation} ${to}`;
/** What matters is drawn over the rest. */
const rank = ({ path, seen }: Edge) => (path ? 2 : 0) + (seen ? 1 : 0);
const shapeOf = ({ from, to }: Edge, total: number) => curveOf(placeOf(from, total), placeOf(to, total), BEND);

/** One sentence: what the drawing shows. */
function inWords({ entities, edges, start, answer, expected }: Graph): string {
  const told = edges.filter(({ seen }) => seen).length;
  const way = edges
    .filter(({ path }) => path)
    .map(({ from, relation, to }) => `${entities[from]} ${relation} ${entities[to]}`);
  return [
    `Graph of ${entities.length} names and ${edges.length} facts, ${told} of them told so far`,
    `it starts at ${entities[start]}`,
    `the way: ${way.join(', ') || 'none'}`,
    `right: ${expected.map((index) => entities[index]).join(', ')}`,
    answer === null ? 'no answer yet' : `answered: ${entities[answer]}`,
  ].join('; ');
}
