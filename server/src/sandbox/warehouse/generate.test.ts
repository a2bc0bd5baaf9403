import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Document, Order, Stock } from '../../integrations/sandbox/documents.ts'
import { asnStates } from './generate/deliveries.ts'
import { orderStates } from './generate/order-states.ts'
import { quarantineSlot } from './generate/premises.ts'
import { rmaStates } from './generate/returns.ts'
import { generate } from './generate.ts'

const now = new Date('2026-11-20T08:15:30.123Z')
const warehouses = ['first', 'second', 'third', 'fourth', 'fifth'].map((seed) => generate(seed, now))
const dayMs = 86_400_000
const daysOld = (instant: string) => (now.getTime() - Date.parse(instant)) / dayMs
const sum = <T>(list: readonly T[], quantity: (entry: T) => number) => list.reduce((all, one) => all + quantity(one), 0)

test('the same seed and instant give the same documents, another seed others', () => {
  assert.deepEqual(generate('first', now), warehouses[0])
  assert.notDeepEqual(warehouses[1]!.orders, warehouses[0]!.orders)
})

test('identifiers are unique within a kind and every instant is an ISO instant not after now', () => {
  for (const warehouse of warehouses) {
    for (const [kind, list] of Object.entries<Document[]>(warehouse)) {
      assert.equal(new Set(list.map(({ id }) => id)).size, list.length, kind)
      for (const { id, created, modified } of list) {
        assert.ok(created <= modified && modified <= now.toISOString(), `${kind} ${id}: ${created} ${modified}`)
        assert.equal(new Date(modified).toISOString(), modified)
      }
    }
  }
})

test('a warehouse has a year of everything', () => {
  for (const warehouse of warehouses) {
    const counts = Object.fromEntries(Object.entries(warehouse).map(([kind, list]) => [kind, list.length]))
    assert.deepEqual(
      [counts.facilities, counts.slots, counts.clients, counts.services, counts.orders, counts.asns, counts.rmas],
      [3, 60, 4, 6, 1200, 90, 100],
    )
    assert.equal(warehouse.articles.filter(({ kit }) => kit).length, 8)
    assert.ok(warehouse.stock.some(({ state }) => state === 'RETIRED'))
    assert.ok(warehouse.stock.some(({ lots }) => lots.length > 0))
    assert.ok(daysOld(warehouse.orders[0]!.created) > 350)
  }
})

test('orders, deliveries and returns of every state changed within the last 30 days', () => {
  for (const { orders, asns, rmas } of warehouses) {
    const recent = (list: { state: string; modified: string }[]) =>
      new Set(list.filter(({ modified }) => daysOld(modified) < 30).map(({ state }) => state))
    assert.deepEqual(recent(orders), new Set(orderStates))
    assert.deepEqual(recent(rmas), new Set(rmaStates))
    assert.deepEqual(recent(asns), new Set(asnStates))
  }
})

test('stock on hand is what the ledger adds up to, and was never below zero', () => {
  for (const { stock, movements } of warehouses) {
    const onHand = new Map<string, number>()
    for (const { stock: id, facility, code, qty } of movements) {
      if (code === 'SLOT_MOVE') continue
      const key = `${id} ${facility}`
      onHand.set(key, (onHand.get(key) ?? 0) + qty)
      assert.ok(onHand.get(key)! >= 0, key)
    }
    for (const { id, facility, on_hand } of levels(stock)) {
      assert.equal(on_hand, onHand.get(`${id} ${facility}`) ?? 0)
    }
  }
})

test('the ledger holds exactly what was received, shipped and taken back', () => {
  for (const { movements, asns, orders, rmas } of warehouses) {
    const moved = (code: string) =>
      sum(
        movements.filter((movement) => movement.code === code),
        ({ qty }) => qty,
      )
    const shipped = orders.flatMap(shippedContents)
    const kept = rmas
      .flatMap(({ lines }) => lines.flatMap(({ findings }) => findings))
      .filter(({ disposition }) => disposition !== 'DISCARDED')
    assert.equal(
      moved('GOODS_IN'),
      sum(
        asns.flatMap(({ lines }) => lines),
        ({ received }) => received,
      ),
    )
    assert.equal(
      -moved('SHIP_OUT'),
      sum(shipped, ({ qty }) => qty),
    )
    assert.equal(
      moved('RMA_IN'),
      sum(kept, ({ qty }) => qty),
    )
  }
})

test('what lies in slots is what is on hand, what is blocked lies in quarantine, and lots are part of it', () => {
  for (const { stock, slots } of warehouses) {
    const facilityOf = new Map(slots.map(({ id, facility }) => [id, facility]))
    for (const item of stock) {
      for (const { facility, on_hand, allocated, quarantined } of item.levels) {
        const here = item.positions.filter((position) => position.facility === facility)
        const blocked = here.filter(({ slot }) => slot === quarantineSlot(facility))
        const lots = item.lots.filter((lot) => lot.facility === facility)
        assert.equal(
          sum(here, ({ qty }) => qty),
          on_hand,
        )
        assert.equal(
          sum(blocked, ({ qty }) => qty),
          quarantined,
        )
        assert.ok(sum(lots, ({ qty }) => qty) <= on_hand, `${item.id}: ${JSON.stringify(lots)} of ${on_hand}`)
        assert.ok(allocated + quarantined <= on_hand)
        for (const { slot, qty } of here) assert.ok(qty > 0 && facilityOf.get(slot) === facility)
        for (const { qty, best_before } of lots) assert.ok(qty > 0 && best_before! > now.toISOString())
      }
    }
  }
})

test('what is allocated belongs to open orders, what is expected to open deliveries', () => {
  for (const { stock, orders, asns } of warehouses) {
    for (const { id, facility, allocated, expected } of levels(stock)) {
      const reserved = orders.filter((order) => order.facility === facility).flatMap(({ allocations }) => allocations)
      const coming = asns
        .filter((asn) => asn.facility === facility && !['BOOKED', 'CANCELLED'].includes(asn.state))
        .flatMap(({ lines }) => lines)
      assert.equal(
        allocated,
        sum(
          reserved.filter(({ stock }) => stock === id),
          ({ qty }) => qty,
        ),
      )
      assert.equal(
        expected,
        sum(
          coming.filter(({ stock }) => stock === id),
          ({ announced, received }) => announced - received,
        ),
      )
    }
    const closed = orders.filter(({ state }) => ['SHIPPED', 'CANCELLED', 'BACKORDER', 'NEW'].includes(state))
    for (const { allocations } of closed) assert.deepEqual(allocations, [])
  }
})

test('an order ships what was ordered and no more, kits as their parts', () => {
  for (const { orders, articles } of warehouses) {
    const articleById = new Map(articles.map((article) => [article.id, article]))
    for (const order of orders) {
      const ordered = new Map<string, number>()
      for (const { article, qty } of order.lines) {
        for (const part of articleById.get(article)!.parts) {
          ordered.set(part.stock, (ordered.get(part.stock) ?? 0) + qty * part.qty)
        }
      }
      const shipped = new Map<string, number>()
      for (const { stock, qty } of shippedContents(order)) shipped.set(stock, (shipped.get(stock) ?? 0) + qty)
      for (const [stock, qty] of shipped) assert.ok(qty <= ordered.get(stock)!, order.id)
      if (order.state === 'SHIPPED') assert.deepEqual(shipped, ordered)
      if (order.state === 'PART_SHIPPED') {
        assert.ok(shipped.size > 0)
        for (const [stock, qty] of ordered) {
          const reserved = order.allocations.find((allocation) => allocation.stock === stock)?.qty ?? 0
          assert.equal(reserved, qty - (shipped.get(stock) ?? 0))
        }
      }
      for (const parcel of order.consignments.flatMap(({ parcels }) => parcels)) {
        assert.equal(parcel.tracking !== null, order.state === 'SHIPPED' || order.state === 'PART_SHIPPED')
      }
    }
    assert.ok(orders.some((order) => shippedContents(order).some(({ kit }) => kit !== null)))
  }
})

test('every reference leads to a document', () => {
  for (const warehouse of warehouses) {
    const known = Object.fromEntries(
      Object.entries<Document[]>(warehouse).map(([kind, list]) => [kind, new Set(list.map(({ id }) => id))]),
    )
    const exists = (kind: string, id: string) => assert.ok(known[kind]!.has(id), `${kind} ${id}`)
    for (const { facility } of warehouse.slots) exists('facilities', facility)
    for (const { client, parts, sourcing } of warehouse.articles) {
      exists('clients', client)
      for (const { stock } of parts) exists('stock', stock)
      for (const { vendor } of sourcing) exists('vendors', vendor)
    }
    for (const order of warehouse.orders) {
      exists('facilities', order.facility)
      exists('clients', order.client)
      exists('services', order.service.id)
      exists('sales-channels', order.channel.id)
      for (const { article } of order.lines) exists('articles', article)
      for (const { stock } of shippedContents(order)) exists('stock', stock)
    }
    for (const asn of warehouse.asns) {
      exists('vendors', asn.vendor.id)
      assert.ok(asn.lines.length > 0)
      for (const { stock } of asn.lines) exists('stock', stock)
    }
    for (const { order } of warehouse.rmas) exists('orders', order)
    for (const { slot, cause } of warehouse.movements) {
      exists('slots', slot)
      if (cause) exists(cause.kind, cause.id)
    }
    for (const { about } of [...warehouse.charges, ...warehouse.tasks]) if (about) exists(about.kind, about.id)
  }
})

test('a return brings back what its order shipped, with a reason for every line', () => {
  for (const { rmas, orders } of warehouses) {
    const orderById = new Map(orders.map((order) => [order.id, order]))
    for (const rma of rmas) {
      const contents = shippedContents(orderById.get(rma.order)!)
      for (const { stock, announced, reason, findings } of rma.lines) {
        const shipped = sum(
          contents.filter((content) => content.stock === stock),
          ({ qty }) => qty,
        )
        assert.ok(announced >= 1 && announced <= shipped)
        assert.ok(sum(findings, ({ qty }) => qty) <= announced)
        assert.ok(reason?.code && reason.text)
      }
    }
  }
})

const levels = (stock: Stock[]) => stock.flatMap(({ id, levels }) => levels.map((level) => ({ id, ...level })))

const shippedContents = (order: Order) =>
  order.consignments
    .filter(({ state }) => state === 'DISPATCHED')
    .flatMap(({ parcels }) => parcels.flatMap(({ contents }) => contents))
