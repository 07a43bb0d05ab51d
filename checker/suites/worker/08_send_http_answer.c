/* Step 8: steps/worker/08-send_http.md; which whole answer is believed */
#include "worker_http.h"

#define ACK "{\"id\":\"@\",\"accepted\":true}"

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* 68 bytes; 30 of them are more than 2 KB. */
#define LINE     "X-Note: 01234567890123456789012345678901234567890123456789012345678\r\n"
#define LINES_10 LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE

#define DIGITS_50  "01234567890123456789012345678901234567890123456789"
#define DIGITS_250 DIGITS_50 DIGITS_50 DIGITS_50 DIGITS_50 DIGITS_50

/* What follows is the size of a chunk; ACK has 42 bytes where the id has these 17. */
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define ID_17   "Order_12345678901"

/* White space in front of the object, which leaves room for the longest id. */
#define BLANKS_60  "                                                            "
#define BLANKS_300 BLANKS_60 BLANKS_60 BLANKS_60 BLANKS_60 BLANKS_60

#define VALUE_1  outcome_value(1)
#define DELIVERY outcome_of(OUTCOME_DELIVERY, 0)

CHECK(send_http, an_acknowledgement_is_believed_however_its_json_is_spelled, "send_http.5")
{
    static const char every[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    static const char *const plain[] = { ACK };
    static const char *const spelled[] = {
        "{\"accepted\":true,\"id\":\"@\"}",
        ACK "\n",
        " \t\r\n{ \"id\" :\t\"@\" ,\r\n  \"accepted\" : true }\r\n\r\n ",
        "{\"\\u0069d\":\"@\",\"\\u0061ccepted\":true}",
        BLANKS_300 BLANKS_300 BLANKS_300 ACK,
    };
    static const char *const escaped[] = {
        "{\"id\":\"\\u0041b_9-z\",\"accepted\":true}",
        "{\"id\":\"Ab\\u005F9\\u002d\\u007a\",\"accepted\":true}",
    };
    struct courier courier = courier_start();

    send_for_each_body(courier, EACH(spelled), NULL, VALUE_1);
    send_for_each_body(courier, EACH(escaped), "Ab_9-z", VALUE_1);
    send_for_each_body(courier, EACH(plain), "-", VALUE_1);
    send_for_each_body(courier, EACH(plain), "7", VALUE_1);
    send_for_each_body(courier, EACH(plain), every, VALUE_1);
}

CHECK(send_http, an_acknowledgement_of_up_to_1024_bytes_is_believed_however_it_is_framed,
      "send_http.5")
{
    static const struct response answers[] = {
        { .status = 0 },
        { .framing = FRAMING_CHUNKED },
        { .framing = FRAMING_CHUNKED, .chunk_bytes = 1, .pad_bytes = 1024 },
        { .framing = FRAMING_CLOSE },
        { .framing = FRAMING_LENGTH, .ending = ENDING_CLOSE },
        { .framing = FRAMING_CHUNKED, .chunk_bytes = 7, .piece_bytes = 2 },
        { .piece_bytes = 9, .piece_gap_ms = 10 },
        { .piece_bytes = 15, .piece_gap_ms = 10, .framing = FRAMING_CLOSE },
        { .piece_bytes = 20, .piece_gap_ms = 10, .framing = FRAMING_CHUNKED, .chunk_bytes = 5 },
        { .headers = "Content-Type: text/html\r\n" },
        { .headers = "content-type:\r\n" },
        { .reason = "500 Internal Server Error" },
        { .reason = "" },
        { .headers = LINES_10 LINES_10 LINES_10 },
        { .headers = LINES_10 LINES_10 LINES_10 LINES_10 LINES_10 },
        { .headers = "X-Long: " DIGITS_250 DIGITS_250 DIGITS_250 DIGITS_250 DIGITS_250 "\r\n" },
        { .headers = "Content-Encoding: identity\r\n" },
        { .headers = "X-Original-Content-Length: 900\r\nX-Note: this is not chunked\r\n" },
        { .headers = "Content-Length:900\r\n", .pad_bytes = 900 },
        { .headers = "Content-Length:\t 900 \t\r\n", .pad_bytes = 900 },
        { .headers = "CONTENT-LENGTH: 900\r\n", .pad_bytes = 900 },
        { .framing = FRAMING_CHUNKED, .headers = "tRANSFER-eNCODING: chunked\r\n" },
        { .framing = FRAMING_CHUNKED, .headers = "Transfer-Encoding: Chunked\r\n" },
        { .raw = "HTTP/1.0 200 OK\r\n\r\n" ACK, .ending = ENDING_CLOSE },
        { .pad_bytes = 1023 },
        { .pad_bytes = 1024 },
        { .pad_bytes = 1024, .framing = FRAMING_CHUNKED, .chunk_bytes = 100 },
        { .pad_bytes = 1024, .framing = FRAMING_CLOSE, .piece_bytes = 500 },
    };
    static const char *const raws[] = {
        CHUNKED "2A\r\n" ACK "\r\n0\r\n\r\n",
        CHUNKED "2a;name=value;other=\"x\"\r\n" ACK "\r\n0;last\r\n\r\n",
        CHUNKED "0000002a\r\n" ACK "\r\n0000\r\n\r\n",
        CHUNKED "2a\r\n" ACK "\r\n0\r\nX-Sum: 7\r\nX-More: 8\r\n\r\n",
    };
    struct courier courier = courier_start();

    send_for_each(courier, EACH(answers), VALUE_1);
    send_for_each_raw(courier, EACH(raws), ID_17, VALUE_1);
}

CHECK(send_http, only_the_id_that_was_sent_and_accepted_true_are_believed, "send_http.5")
{
    static const char *const members[] = {
        "{}",
        "{\"id\":\"@\"}",
        "{\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":true,\"qty\":1}",
        "{\"x\":null,\"id\":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"id\":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":true,\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":false,\"accepted\":true}",
        "{\"id\":\"@\",\"id\":\"@\"}",
        "{\"accepted\":true,\"accepted\":true}",
        "{\"ID\":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"Accepted\":true}",
        "{\"id \":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"accept\":true}",
        "{\"ack\":{\"id\":\"@\",\"accepted\":true}}",
    };
    static const char *const accepted[] = {
        "{\"id\":\"@\",\"accepted\":false}", "{\"id\":\"@\",\"accepted\":1}",
        "{\"id\":\"@\",\"accepted\":null}",  "{\"id\":\"@\",\"accepted\":\"true\"}",
        "{\"id\":\"@\",\"accepted\":{}}",    "{\"id\":\"@\",\"accepted\":[true]}",
        "{\"id\":true,\"accepted\":\"@\"}",
    };
    static const char *const others[] = {
        "{\"id\":\"Order-7\",\"accepted\":true}",      "{\"id\":\"Order-778x\",\"accepted\":true}",
        "{\"id\":\"order-778\",\"accepted\":true}",    "{\"id\":\"Order-778 \",\"accepted\":true}",
        "{\"id\":\"rder-778\",\"accepted\":true}",     "{\"id\":\"xOrder-778\",\"accepted\":true}",
        "{\"id\":\"Order-779\",\"accepted\":true}",    "{\"id\":\"\",\"accepted\":true}",
        "{\"id\":\"Order-778\\n\",\"accepted\":true}",
    };
    /* Two ids of one hash, as Bernstein's times 33 has it. */
    static const char *const alike[] = { "{\"id\":\"bA\",\"accepted\":true}" };
    static const char *const long_ones[] = {
        "{\"id\":\"" A63 "B\",\"accepted\":true}",
        "{\"id\":\"" A63 "\",\"accepted\":true}",
        "{\"id\":\"" A63 "aa\",\"accepted\":true}",
    };
    static const char *const no_strings[] = {
        "{\"id\":5,\"accepted\":true}",         "{\"id\":null,\"accepted\":true}",
        "{\"id\":true,\"accepted\":true}",      "{\"id\":[\"5\"],\"accepted\":true}",
        "{\"id\":{\"5\":5},\"accepted\":true}",
    };
    struct courier courier = courier_start();

    send_for_each_body(courier, EACH(members), NULL, DELIVERY);
    send_for_each_body(courier, EACH(accepted), NULL, DELIVERY);
    send_for_each_body(courier, EACH(others), "Order-778", DELIVERY);
    send_for_each_body(courier, EACH(alike), "ab", DELIVERY);
    send_for_each_body(courier, EACH(long_ones), A63 "a", DELIVERY);
    send_for_each_body(courier, EACH(no_strings), "5", DELIVERY);
}

CHECK(send_http, a_body_that_is_no_single_json_object_is_not_believed, "send_http.5")
{
    static const char *const values[] = {
        "",
        " ",
        "@",
        "null",
        "1",
        "\"@\"",
        "[]",
        "[" ACK "]",
        ACK ACK,
        ACK ",",
        ACK "}",
        ACK "x",
        ACK "\n{}",
        "x" ACK,
        ACK " //",
        "//\n" ACK,
        "(" ACK ")",
        ACK "\xc2\xa0",
        "id=@&accepted=true",
        "[\"id\",\"@\",\"accepted\",true]",
        "\"{\\\"id\\\":\\\"@\\\",\\\"accepted\\\":true}\"",
    };
    static const char *const broken[] = {
        "{\"id\":\"@\",\"accepted\":true",
        "{\"id\":\"@\",\"accepted\":tru",
        "{\"id\":\"@",
        "{",
        "{'id':'@','accepted':true}",
        "{\"id\":\"@\",\"accepted\":true,}",
        "{\"id\":\"@\" \"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":TRUE}",
        "{\"id\":@,\"accepted\":true}",
        "\"id\":\"@\",\"accepted\":true",
    };
    struct courier courier = courier_start();

    send_for_each_body(courier, EACH(values), NULL, DELIVERY);
    send_for_each_body(courier, EACH(broken), NULL, DELIVERY);
}
